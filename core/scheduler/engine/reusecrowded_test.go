package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// The nodes are full of pods of several priorities, so that most pods preempt others or are kept from it, among changing disruption
// budgets, nominations and nodes. Decisions, victims and losing candidates are the same with reuse, without, and with both by turns.
func TestReuse_PreemptsTheSame(t *testing.T) {
	t.Parallel()
	const runs = 3
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := newCrowdedRun(t, seed)
			for r.cycles < *cycles/runs/6 && !t.Failed() { // each takes three times as long as one on nodes with room
				r.change()
				r.decide()
			}
			stats := r.engines[0].ReuseStats()
			t.Logf("%d cycles, %d preemptions, %d results reused, %d computed", r.cycles, r.preemptions, stats.Reused, stats.Computed)
			if r.preemptions < r.cycles/10 {
				t.Error("too few pods preempt others: the run compares too little")
			}
		})
	}
}

// crowdedRun is a long run on full nodes.
type crowdedRun struct {
	*longRun
	budgets []*policyv1.PodDisruptionBudget
}

func newCrowdedRun(t *testing.T, seed uint64) *crowdedRun {
	r := &crowdedRun{longRun: newLongRun(t, seed, twoProfiles)}
	for _, node := range r.nodes {
		r.fill(node.Name)
	}
	return r
}

// fill binds pods to a node until it is full.
func (r *crowdedRun) fill(node string) {
	for range 2 + r.draw.IntN(3) {
		r.created++
		b := mk.Pod(fmt.Sprint("p", r.created)).Namespace(pick(r.draw, "default", "other")).Node(node).CPU(pick(r.draw, "500m", "1", "2")).
			Label("app", pick(r.draw, "web", "db", "job")).Priority(pick[int32](r.draw, 0, 0, 5, 10)).
			Started(r.now.Add(-time.Duration(r.draw.IntN(5)) * time.Hour))
		if r.draw.IntN(6) == 0 {
			b.HostPort(8080)
		}
		if r.cycles > 0 && r.draw.IntN(20) == 0 { // at first, none is below the preemptors of priority 0
			b.Priority(-1)
		}
		pod := b.Obj()
		r.bound = append(r.bound, pod)
		r.apply(world.Changed{Op: world.Added, Object: pod})
	}
}

// preemptors are what pods of a crowded run are made from. Some are filtered by plugins that look at other nodes.
var preemptors = []func(*mk.PodBuilder){
	func(b *mk.PodBuilder) { b.CPU("1") },
	func(b *mk.PodBuilder) { b.CPU("1") },
	func(b *mk.PodBuilder) { b.CPU("2") },
	func(b *mk.PodBuilder) { b.CPU("2").NodeSelector("disk", "ssd") },
	func(b *mk.PodBuilder) { b.CPU("500m").HostPort(8080) },
	func(b *mk.PodBuilder) { b.CPU("3") },
	func(b *mk.PodBuilder) { b.CPU("1").NeverPreempt() },
	func(b *mk.PodBuilder) {
		b.CPU("1").Label("app", "spread").Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: appIs("spread")},
		}
	},
	func(b *mk.PodBuilder) {
		b.CPU("1").Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: v1.LabelHostname, LabelSelector: appIs("db")}},
		}})
	},
}

// change changes the cluster a little.
func (r *crowdedRun) change() {
	r.pass(3)
	r.deleteWaiting(8)
	switch r.draw.IntN(12) {
	default:
		for range 1 + r.draw.IntN(4) {
			r.addPreemptor()
		}
	case 0, 1:
		r.changeBudgets()
	case 2:
		r.changeNode(r.draw.IntN(len(r.nodes)))
	case 3:
		r.addOrDeleteNode()
	case 4:
		for range 6 {
			r.fill(r.nodes[r.draw.IntN(len(r.nodes))].Name)
		}
	case 5:
		for range min(len(r.bound), r.draw.IntN(20)) {
			r.deletePod(r.draw.IntN(len(r.bound)))
		}
	case 6:
		r.relabelPod(r.draw.IntN(len(r.bound)))
	case 7:
		r.switchReuse()
	}
}

func (r *crowdedRun) addPreemptor() {
	r.created++
	b := mk.Pod(fmt.Sprint("p", r.created)).Namespace(pick(r.draw, "default", "other")).Created(r.now).
		Label("app", pick(r.draw, "web", "db")).Priority(pick[int32](r.draw, 0, 5, 10, 20, 50))
	pick(r.draw, preemptors...)(b)
	pod := b.Scheduler(pick(r.draw, v1.DefaultSchedulerName, v1.DefaultSchedulerName, "packing")).Obj()
	r.waiting = append(r.waiting, pod)
	r.apply(world.Changed{Op: world.Added, Object: pod})
}

func (r *crowdedRun) relabelPod(i int) {
	pod := r.bound[i].DeepCopy()
	pod.Labels = map[string]string{"app": pick(r.draw, "web", "db", "job")}
	r.bound[i] = pod
	r.apply(world.Changed{Op: world.Modified, Object: pod})
}

// changeBudgets adds, changes or deletes a PodDisruptionBudget.
func (r *crowdedRun) changeBudgets() {
	if len(r.budgets) < 2 {
		r.created++
		r.budgets = append(r.budgets, r.drawBudget(fmt.Sprint("budget", r.created)))
		r.apply(world.Changed{Op: world.Added, Object: r.budgets[len(r.budgets)-1]})
		return
	}
	i := r.draw.IntN(len(r.budgets))
	if r.draw.IntN(4) == 0 {
		r.apply(world.Changed{Op: world.Deleted, Object: r.budgets[i]})
		r.budgets = slices.Delete(r.budgets, i, i+1)
		return
	}
	changed := r.drawBudget(r.budgets[i].Name)
	changed.Namespace = r.budgets[i].Namespace
	if r.draw.IntN(3) > 0 { // its status only
		changed.Spec = r.budgets[i].Spec
	}
	r.budgets[i] = changed
	r.apply(world.Changed{Op: world.Modified, Object: changed})
}

func (r *crowdedRun) drawBudget(name string) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: pick(r.draw, "default", "other")},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: appIs(pick(r.draw, "web", "db"))},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(r.draw.IntN(3))},
	}
	if r.draw.IntN(3) == 0 {
		b.Status.DisruptedPods = map[string]metav1.Time{r.bound[r.draw.IntN(len(r.bound))].Name: metav1.NewTime(r.now)}
	}
	return b
}
