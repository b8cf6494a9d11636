package claims

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/kubernetes/pkg/controller/resourceclaim/metrics"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func TestMain(m *testing.M) {
	difftest.PrepareSynctest()
	metrics.RegisterMetrics(nil)
	os.Exit(m.Run())
}

// runOrrery runs the simulated cluster's controller on objects and returns what is left.
func runOrrery(r *difftest.Source, objects []world.Object) (left []world.Object) {
	c := memory.New(memory.Options{Start: difftest.SynctestStart})
	for _, o := range objects {
		if err := c.Load(o.DeepCopyObject().(world.Object)); err != nil {
			r.Fatalf("loading %s: %v", o.GetName(), err)
		}
	}
	c.Advance(10 * time.Second) // pods on a node that is not there are collected later
	return slices.Concat(c.List(world.ResourceClaim), c.List(world.Pod))
}

// described are the claims, each with its state, and the claims that pods name. Generated names are left out.
func described(objects []world.Object) []string {
	name := func(claim string) string {
		if i := strings.LastIndex(claim, "-"); i >= 0 {
			return claim[:i]
		}
		return claim
	}
	var all []string
	for _, o := range objects {
		switch o := o.(type) {
		case *resourcev1.ResourceClaim:
			line := fmt.Sprintf("claim %s allocated=%v finalizers=%d deleting=%v for", name(o.Name), o.Status.Allocation != nil, len(o.Finalizers), o.DeletionTimestamp != nil)
			var pods []string
			for _, r := range o.Status.ReservedFor {
				pods = append(pods, string(r.UID))
			}
			slices.Sort(pods) // in the order of two work queues
			line += " " + strings.Join(pods, " ")
			if len(o.OwnerReferences) > 0 {
				line += fmt.Sprint(" of ", o.OwnerReferences[0].UID, " ", o.Annotations[podClaimAnnotation])
			}
			all = append(all, line)
		case *v1.Pod:
			for _, status := range o.Status.ResourceClaimStatuses {
				all = append(all, fmt.Sprintf("pod %s %s is %s", o.Name, status.Name, name(*status.ResourceClaimName)))
			}
		}
	}
	slices.Sort(all)
	return all
}

// TestController_SameClaims compares what is left of claims, and the claims that pods name.
func TestController_SameClaims(t *testing.T) {
	changed := 0
	difftest.Check(t, comparisons.ClaimController.Cases, func(r *difftest.Source) {
		objects := drawObjects(r)
		theirs, ours := described(runUpstream(t, objects)), described(runOrrery(r, objects))
		if diff := cmp.Diff(theirs, ours); diff != "" {
			r.Fatalf("what is left differs (-upstream +orrery):\n%s\nof:\n%s\n%s", diff, strings.Join(described(objects), "\n"), difftest.JSON(objects))
		}
		if !slices.Equal(theirs, described(objects)) {
			changed++
		}
	})
	if changed == 0 {
		t.Error("the controller did nothing in any case")
	}
	t.Logf("the controller acted in %d cases", changed)
}
