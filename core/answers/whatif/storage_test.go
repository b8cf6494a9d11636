package whatif_test

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/testing/mk"
)

const (
	noProvisioner = "kubernetes.io/no-provisioner"
	nothingToBind = "unschedulable (node(s) didn't find available persistent volumes to bind)"
)

func zoned(name, zone, cpu string) *v1.Node {
	return mk.Node(name).CPU(cpu).Memory("16Gi").Zone(zone).Obj()
}

func TestAddVolume_PlacesThePodOfItsClaim(t *testing.T) {
	s := newScene(t, zoned("a", "zone-a", "4"), zoned("b", "zone-b", "4"), mk.Class("local", noProvisioner).WaitForFirstConsumer().Obj(),
		mk.Claim("data").Size("10Gi").Class("local").Obj(), mk.Pod("web").CPU("1").PVC("data").Obj())
	s.check("add pv 10Gi of local in zone-b", "web placed: "+nothingToBind+" -> b")
	s.check("add pv 10Gi of local on a", "web placed: "+nothingToBind+" -> a")
	s.check("add pv 5Gi of local on a", "")
	s.check("add pv 10Gi of other on a", "")
}

func TestSetCapacity_OfAZone(t *testing.T) {
	s := newScene(t, zoned("a", "zone-a", "4"), zoned("b", "zone-b", "4"), mk.Class("fast", "csi.example.com").WaitForFirstConsumer().Obj(),
		mk.CSIDriver("csi.example.com"), mk.StorageCapacity("east", "fast", "5Gi", v1.LabelTopologyZone, "zone-a"),
		mk.Claim("data").Size("10Gi").Class("fast").Obj(), mk.Pod("web").CPU("1").PVC("data").Obj())
	s.check("capacity fast 20Gi in zone-a", "web placed: unschedulable (node(s) did not have enough free storage) -> a")
	s.check("capacity fast 20Gi in zone-b", "web placed: unschedulable (node(s) did not have enough free storage) -> b")
	s.check("capacity fast 9Gi", "")
}

func TestSetClass_OfAnUnboundClaim(t *testing.T) {
	s := newScene(t, node("a", "4"), mk.CSINode("a").Limit("csi.example.com", 9).Obj(), mk.Class("local", noProvisioner).WaitForFirstConsumer().Obj(),
		mk.Class("fast", "csi.example.com").WaitForFirstConsumer().Obj(), mk.Claim("data").Size("10Gi").Class("local").Obj(),
		mk.Pod("web").CPU("1").PVC("data").Obj())
	s.check("class data fast", "web placed: "+nothingToBind+" -> a")
}

// A driver that nobody has registered makes no volume in a what-if either, whether its claims wait for a consumer or not.
func TestProvisioners_AreThoseThatExist(t *testing.T) {
	e := engineOf(t, 1, node("a", "4"), mk.Class("ghost", "ghost.example.com").WaitForFirstConsumer().Obj(), mk.Class("ghost-now", "ghost.example.com").Obj(),
		mk.Class("local", noProvisioner).WaitForFirstConsumer().Obj(), mk.Claim("data").Size("10Gi").Class("local").Obj(),
		mk.Claim("soon").Size("10Gi").Class("ghost-now").Obj(), mk.Pod("web").CPU("1").PVC("data").Obj(), mk.Pod("api").CPU("1").PVC("soon").Obj())
	a := answerOf(t, e, "class data ghost")
	if len(a.Pods) > 0 || a.With.Placed != 0 || len(a.StillPending) != 2 {
		t.Errorf("%d pods are placed, and still pending are %+v", a.With.Placed, a.StillPending)
	}
	if want := "class ghost-now makes no volumes here: its provisioner is not registered and has made none"; !slices.Contains(a.Notes, want) {
		t.Errorf("the notes are %q, want %q", a.Notes, want)
	}
	for _, p := range a.StillPending {
		if want := "had a place on a, and was not bound"; p.Pod.Name == "web" && p.With.Reason.Reason != want {
			t.Errorf("web %q, want %q", p.With.Reason.Reason, want)
		}
	}
}

func TestStorage_RefusedChanges(t *testing.T) {
	bound := mk.Claim("bound").Size("1Gi").Class("fast").Bound("pv-1").Obj()
	s := newScene(t, node("a", "4"), mk.Class("fast", "csi.example.com").Obj(), mk.Volume("pv-1").Size("1Gi").Class("fast").For(bound).Obj(), bound)
	for question, want := range map[string]string{
		"add pv 1Gi on b":      `there is no node "b"`,
		"capacity slow 1Gi":    `there is no storage class "slow"`,
		"class bound slow":     `there is no storage class "slow"`,
		"class bound fast":     `claim "default/bound" has a volume: its class no longer matters`,
		"delete pvc other":     `there is no claim "other"`,
		"class shop/data fast": `there is no claim "shop/data"`,
	} {
		changes, err := change.ParseAll([]string{question})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = whatif.Evaluate(s.engine, changes, whatif.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", question, err, want)
		}
	}
}

// A claim that a pod names is protected, so the pod is tried with a claim that is being deleted.
func TestDeleteClaim_OfAPendingPod(t *testing.T) {
	s := newScene(t, node("a", "4"), mk.Class("fast", "csi.example.com").WaitForFirstConsumer().Obj(),
		mk.Claim("data").Size("10Gi").Class("fast").Obj())
	s.create(mk.Pod("web").CPU("8").PVC("data").Obj())
	a := s.evaluate("delete pvc data")
	if len(a.StillPending) != 1 || a.StillPending[0].With.Reason.Reason != `persistentvolumeclaim "data" is being deleted` {
		t.Errorf("still pending are %+v", a.StillPending)
	}
}
