package store

import (
	"reflect"
	"testing"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"orrery/core/world"
)

func TestEveryKindOfTheWorldHasTheInformerThatClientGoHas(t *testing.T) {
	clientGo := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	ours := New().Informers()
	for _, kind := range world.Kinds() {
		number, known := numberByKind[kind]
		if !known {
			t.Errorf("%s is missing from kindTable", kind)
			continue
		}
		entry := kindTable[number]
		if _, err := clientGo.ForResource(entry.resource); err != nil {
			t.Errorf("%s: client-go has no resource %s: %v", kind, entry.resource, err)
		}
		example, err := world.New(kind)
		if err != nil || reflect.TypeOf(example) != entry.goType {
			t.Errorf("%s is kept as %s, want %T", kind, entry.goType, example)
		}
		in, err := ours.ForResource(entry.resource)
		if err != nil || !in.Informer().HasSynced() {
			t.Errorf("%s is not served: %v", kind, err)
		}
	}
	if len(kindTable) != len(world.Kinds()) {
		t.Errorf("kindTable has %d kinds, the world %d", len(kindTable), len(world.Kinds()))
	}
}

func TestEveryGroupOfTheFactoryIsServedFromTheStore(t *testing.T) {
	s := New()
	f := s.Informers()
	f.Admissionregistration().V1().ValidatingAdmissionPolicies().Informer()
	f.Internal().V1alpha1().StorageVersions().Informer()
	f.Apps().V1().ReplicaSets().Informer()
	f.Autoscaling().V2().HorizontalPodAutoscalers().Informer()
	f.Batch().V1().Jobs().Informer()
	f.Certificates().V1().CertificateSigningRequests().Informer()
	f.Coordination().V1().Leases().Informer()
	f.Core().V1().Pods().Informer()
	f.Discovery().V1().EndpointSlices().Informer()
	f.Events().V1().Events().Informer()
	f.Extensions().V1beta1().Ingresses().Informer()
	f.Flowcontrol().V1().FlowSchemas().Informer()
	f.Networking().V1().Ingresses().Informer()
	f.Node().V1().RuntimeClasses().Informer()
	f.Policy().V1().PodDisruptionBudgets().Informer()
	f.Rbac().V1().Roles().Informer()
	f.Resource().V1().ResourceClaims().Informer()
	f.Scheduling().V1().PriorityClasses().Informer()
	f.Storage().V1().CSINodes().Informer()
	f.Storagemigration().V1beta1().StorageVersionMigrations().Informer()
	if got := len(s.Asked()); got != 9 {
		t.Errorf("%d kinds are served: %v, want 9", got, s.Asked())
	}
	if got := len(s.Unserved()); got != 11 {
		t.Errorf("%d types are not served: %v, want 11", got, s.Unserved())
	}
}
