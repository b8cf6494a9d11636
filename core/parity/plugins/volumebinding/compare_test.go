package volumebinding

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/assumed"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

func TestVolumeBinding_SameAnswers(t *testing.T) {
	seen := difftest.Coverage{}
	n := difftest.Check(t, comparisons.VolumeBinding.Cases, func(t *difftest.Source) {
		r := &comparison{Source: t, c: newCluster(t, nil), seen: seen}
		r.c.fill(t)
		for range t.Range(1, 8) {
			r.step()
		}
	})
	seen.Require(t, n, required...)
}

// required are situations without which too little was compared.
var required = []string{
	"PreFilter: Skip", "PreFilter: Success", "PreFilter: Error", "PreFilter: UnschedulableAndUnresolvable",
	"Filter: Success", "Filter: Error", "Filter: UnschedulableAndUnresolvable, 2 reasons",
	"Score above 0", "Reserve: Success", "Reserve: Error", "PreBindPreFlight: Skip", "PreBindPreFlight: Success",
	"volume assumed", "claim assumed", "Unreserve",
}

// comparison runs one case.
type comparison struct {
	*difftest.Source
	c    *cluster
	seen difftest.Coverage
	held []reservation
}

// reservation is a pod in both schedulers between Reserve and Unreserve.
type reservation struct {
	pod          *v1.Pod
	node         string
	theirs, ours fwk.CycleState
}

func (r *comparison) step() {
	switch {
	case r.OneIn(3):
		r.c.change(r.Source)
	case len(r.held) > 0 && r.OneIn(4):
		r.unreserve(r.Range(0, len(r.held)-1))
	case len(r.held) > 0 && r.OneIn(4):
		r.writeBack()
	default:
		r.schedule(somePod(r.Source))
	}
	r.compareAssumed("the step")
}

// writeBack makes something that is assumed the API server's.
func (r *comparison) writeBack() {
	a := assumed.InState(r.c.state, r.c.store)
	for _, name := range volumeNames {
		if pv := a.Volumes[name]; pv != nil && r.Bool() {
			r.c.set(pv)
			return
		}
	}
	for _, claim := range a.Claims {
		if len(a.Claims) == 1 {
			r.c.set(claim)
		}
	}
}

func (r *comparison) unreserve(i int) {
	h := r.held[i]
	r.c.upstream.Unreserve(context.Background(), h.theirs, h.pod, h.node)
	r.c.orrery.Unreserve(context.Background(), h.ours, h.pod, h.node)
	r.held = append(r.held[:i:i], r.held[i+1:]...)
	r.seen.Count("Unreserve")
}

// same compares one answer, and returns it.
func (r *comparison) same(what string, theirs, ours *fwk.Status) *fwk.Status {
	want, got := statusText(theirs), statusText(ours)
	point, _, _ := strings.Cut(what, " ")
	r.seen.Count("%s: %s", point, summary(theirs))
	if want != got {
		r.fail(fmt.Sprintf("%s: kube-scheduler %s, Orrery %s", what, want, got))
	}
	return theirs
}

func (r *comparison) fail(difference string) {
	r.Fatalf("%s\nthe changes so far:\n%s", difference, difftest.JSON(r.c.changes))
}

func statusText(s *fwk.Status) string {
	if s == nil {
		return "Success"
	}
	return fmt.Sprintf("%s %q", s.Code(), s.Reasons())
}

func summary(s *fwk.Status) string {
	if s != nil && len(s.Reasons()) > 1 {
		return fmt.Sprintf("%s, %d reasons", s.Code(), len(s.Reasons()))
	}
	return s.Code().String()
}

func (r *comparison) schedule(pod *v1.Pod) {
	if r.c.ambiguous(pod) {
		r.seen.Count("pods with a claim that several volumes name")
		return
	}
	if r.reserve(pod) != nil {
		r.compareAssumed("Reserve of " + pod.Name)
	}
}

// reserve runs a cycle of a pod on both sides, up to PreBindPreFlight.
func (r *comparison) reserve(pod *v1.Pod) *reservation {
	ctx := context.Background()
	h := reservation{pod: pod, theirs: theirState(), ours: ourState()}
	_, theirs := r.c.upstream.PreFilter(ctx, h.theirs, pod, nil)
	_, ours := r.c.orrery.PreFilter(ctx, h.ours, pod, nil)
	if r.same(fmt.Sprintf("PreFilter of %s", difftest.JSON(pod.Spec.Volumes)), theirs, ours); !theirs.IsSuccess() {
		if !theirs.IsSkip() {
			return nil
		}
	} else if h.node = r.filter(&h); h.node == "" {
		return nil
	}
	if h.node == "" || r.OneIn(8) {
		h.node = pick(r.Source, nodeNames)
	}
	r.score(&h)
	if r.OneIn(3) {
		r.changeChosen()
	}
	before := assumed.InState(r.c.state, r.c.store)
	theirs, ours = r.c.upstream.Reserve(ctx, h.theirs, pod, h.node), r.c.orrery.Reserve(ctx, h.ours, pod, h.node)
	if r.same("Reserve on "+h.node, theirs, ours); !theirs.IsSuccess() {
		return nil
	}
	r.countAssumed(before)
	their, theirs := r.c.upstream.PreBindPreFlight(ctx, h.theirs, pod, h.node)
	our, ours := r.c.orrery.PreBindPreFlight(ctx, h.ours, pod, h.node)
	r.same("PreBindPreFlight", theirs, ours)
	if diff := cmp.Diff(their, our); ours.IsSuccess() && diff != "" {
		r.fail("PreBindPreFlight (-kube-scheduler +Orrery):\n" + diff)
	}
	r.held = append(r.held, h)
	return &h
}

// changeChosen gives a volume or a claim a new version, or removes a volume, after the nodes were filtered. In Orrery nothing
// changes within a cycle; in kube-scheduler anything may.
func (r *comparison) changeChosen() {
	object := someObject(r.Source, r.c.scored)
	held := r.c.held(object)
	_, isVolume := object.(*v1.PersistentVolume)
	_, isClaim := object.(*v1.PersistentVolumeClaim)
	switch {
	case held == nil || !isVolume && !isClaim:
	case isVolume && r.OneIn(3):
		r.c.remove(held)
	default:
		r.c.set(held)
	}
}

func (r *comparison) countAssumed(before assumed.Objects) {
	after := assumed.InState(r.c.state, r.c.store)
	if len(after.Volumes) > len(before.Volumes) {
		r.seen.Count("volume assumed")
	}
	if len(after.Claims) > len(before.Claims) {
		r.seen.Count("claim assumed")
	}
}

// filter compares all nodes, and returns one that is feasible.
func (r *comparison) filter(h *reservation) (feasible string) {
	for _, name := range nodeNames {
		node := r.c.node(name)
		theirs := r.c.upstream.Filter(context.Background(), h.theirs, h.pod, nodeInfo(node))
		ours := r.c.orrery.Filter(context.Background(), h.ours, h.pod, nodeInfo(node))
		r.same(fmt.Sprintf("Filter on %s of %s/%s with %s", name, h.pod.Namespace, h.pod.Name, difftest.JSON(h.pod.Spec.Volumes)), theirs, ours)
		if theirs.IsSuccess() && (feasible == "" || r.Bool()) {
			feasible = name
		}
	}
	return feasible
}

func (r *comparison) score(h *reservation) {
	ctx := context.Background()
	theirs, ours := r.c.upstream.PreScore(ctx, h.theirs, h.pod, nil), r.c.orrery.PreScore(ctx, h.ours, h.pod, nil)
	if r.same("PreScore", theirs, ours); !theirs.IsSuccess() {
		return
	}
	for _, name := range nodeNames {
		node := nodeInfo(r.c.node(name))
		want, theirs := r.c.upstream.Score(ctx, h.theirs, h.pod, node)
		got, ours := r.c.orrery.Score(ctx, h.ours, h.pod, node)
		r.same("Score on "+name, theirs, ours)
		if want > 0 {
			r.seen.Count("Score above 0")
		}
		if want != got {
			r.fail(fmt.Sprintf("score of %s: kube-scheduler %d, Orrery %d, for %s", name, want, got, difftest.JSON(h.pod.Spec.Volumes)))
		}
	}
}

func (r *comparison) compareAssumed(after string) {
	if diff := cmp.Diff(assumed.InPlugin(r.c.upstream), assumed.InState(r.c.state, r.c.store)); diff != "" {
		r.fail(fmt.Sprintf("assumed after %s (-kube-scheduler +Orrery):\n%s", after, diff))
	}
}
