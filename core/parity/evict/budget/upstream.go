package budget

import (
	"context"
	_ "unsafe" // for linkname

	"k8s.io/apiserver/pkg/registry/rest"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	"k8s.io/kubernetes/pkg/controller/disruption"
	podstorage "k8s.io/kubernetes/pkg/registry/core/pod/storage"
)

//go:linkname newEvictionStorage k8s.io/kubernetes/pkg/registry/core/pod/storage.newEvictionStorage
func newEvictionStorage(store rest.StandardStorage, budgets policyclient.PodDisruptionBudgetsGetter) *podstorage.EvictionREST

//go:linkname sync k8s.io/kubernetes/pkg/controller/disruption.(*DisruptionController).sync
func sync(dc *disruption.DisruptionController, ctx context.Context, key string) error
