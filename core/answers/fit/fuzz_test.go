package fit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/answers/fit"
	"orrery/core/testing/drawn"
	"orrery/core/testing/fuzz"
)

// oddServer admits everything as what it was told to answer.
type oddServer struct{ answer []byte }

func (oddServer) May(schema.GroupVersionResource, string) bool { return true }

func (s oddServer) Admit(_ schema.GroupVersionResource, _ string, object []byte) ([]byte, error) {
	if !json.Valid(object) {
		return nil, errors.New("what was sent is not JSON")
	}
	return s.answer, nil
}

// FuzzManifests reads manifests, and has them admitted by a server that answers anything.
//
//orrery:reads core/answers/fit
func FuzzManifests(f *testing.F) {
	for _, kind := range []string{"Pod", "Job", "Deployment", "DaemonSet"} {
		f.Add([]byte(drawn.Written(kind, "new", "a: b", 2, "1")), []byte(`{"spec": {"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": []}}}}`))
	}
	f.Add([]byte("{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {jobTemplate: {spec: {parallelism: -1}}}}"), []byte(`{"spec": {"jobTemplate": {"spec": {"template": {"spec": {}}}}}}`))
	f.Add([]byte("{apiVersion: v1, kind: ResourceQuota, metadata: {name: a}, spec: {hard: {pods: 1e-100}}}"), []byte("null"))
	f.Fuzz(func(t *testing.T, text, answer []byte) {
		r := fit.NewReader("shop")
		if err := r.Read("f", bytes.NewReader(text)); err != nil {
			fuzz.Error(t, err)
			return
		}
		set, err := r.Set()
		if err != nil {
			fuzz.Error(t, err)
			return
		}
		admitted, _ := set.Admitted(oddServer{answer})
		if len(admitted.Objects) != len(set.Objects) {
			t.Errorf("%d objects were admitted as %d", len(set.Objects), len(admitted.Objects))
		}
	})
}
