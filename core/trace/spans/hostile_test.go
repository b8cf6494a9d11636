package spans_test

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/trace/journey"
	"orrery/core/world"
)

func hostilePod(namespace, name, uid string) *journey.Pod {
	object := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(uid)}}
	return &journey.Pod{PodRef: world.PodRefOf(object), Object: object, Created: time.Unix(1_700_000_000, 0)}
}
