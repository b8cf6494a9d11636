package store

import (
	"testing"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"orrery/core/world"
)

func TestKinds_InformersOfClientGo(t *testing.T) {
	clientGo := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	ours := New().Informers()
	for _, kind := range world.Kinds() {
		// Workloads are of 1.35 only.
		if _, err := clientGo.ForResource(kind.Resource()); err != nil && kind != world.Workload {
			t.Errorf("%s: client-go has no resource %s: %v", kind, kind.Resource(), err)
		}
		in, err := ours.ForResource(kind.Resource())
		if err != nil || !in.Informer().HasSynced() {
			t.Errorf("%s is not served: %v", kind, err)
		}
	}
}

func TestFactory_ServesEveryGroup(t *testing.T) {
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
	if got := len(s.RequestedKinds()); got != 9 {
		t.Errorf("%d kinds are served: %v, want 9", got, s.RequestedKinds())
	}
	if got := len(s.UnservedTypes()); got != 11 {
		t.Errorf("%d types are not served: %v, want 11", got, s.UnservedTypes())
	}
}
