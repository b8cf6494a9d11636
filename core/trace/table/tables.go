package table

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	corev1 "k8s.io/component-helpers/scheduling/corev1"

	"orrery/core/objects/owners"
	"orrery/core/objects/requests"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/journey"
)

// Tables makes rows of what a tracker finds. It is a journey.Sink.
type Tables struct {
	to  Writer
	err error
}

// Writer writes rows: pointers to a [Decision], a [Pod], a [Node] or a [Transition], which it does not keep.
type Writer interface {
	Write(row any) error
	// Close ends the tables. What they were written to stays open.
	Close() error
}

var _ journey.Sink = (*Tables)(nil)

// New returns tables that are written to a writer.
func New(to Writer) *Tables { return &Tables{to: to} }

// Close ends the tables. It returns the first error of any row.
func (t *Tables) Close() error { return cmp.Or(t.err, t.to.Close()) }

// Err returns the first error of any row.
func (t *Tables) Err() error { return t.err }

func (t *Tables) write(row any) {
	if t.err != nil {
		return
	}
	printable.Strings(row)
	t.err = t.to.Write(row)
}

// Decided implements journey.Sink.
func (t *Tables) Decided(p *journey.Pod, d *engine.Decision) {
	row := Decision{
		Seq: int64(d.Seq), At: microsOf(d.At), Namespace: d.Pod.Namespace, Pod: d.Pod.Name, UID: string(d.Pod.UID), Owner: owners.Of(p.Object),
		Profile: d.Profile, Priority: d.Priority, Attempt: int32(d.Attempt), Verdict: d.Verdict.String(), Node: d.Node, Nominated: d.Nominated,
		Message: d.Message, Nodes: int32(d.Nodes), Examined: int32(d.Examined), Feasible: int32(d.Feasible),
		Score: d.Score, RunnerUp: d.RunnerUp, RunnerUpScore: d.RunnerUpScore,
	}
	if d.Preemption != nil {
		row.Victims = int32(len(d.Preemption.Victims))
	}
	if d.Verdict != engine.Placed {
		most := d.MainRejection()
		row.Plugin, row.Reason, row.RejectedNodes = most.Plugin, most.Reason, int32(most.Nodes)
	}
	if len(d.Rejections) > 0 {
		all := make([]rejection, len(d.Rejections))
		for i, r := range d.Rejections {
			all[i] = rejection(r)
		}
		row.Rejections = text(all)
	}
	t.write(&row)
}

type rejection struct {
	Plugin string `json:"plugin"`
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
}

type step struct {
	Step    string `json:"step"`
	Of      string `json:"of,omitempty"`
	Begin   string `json:"began"`
	End     string `json:"ended,omitempty"`
	Failure string `json:"failure,omitempty"`
}

// Stage implements journey.Sink.
func (t *Tables) Stage(p *journey.Pod, s *journey.Stage) {
	row := Transition{
		Namespace: p.Namespace, Pod: p.Name, UID: string(p.UID), Owner: owners.Of(p.Object), Number: int32(s.Number), State: s.State.String(),
		Begin: microsOf(s.Begin), Seconds: s.Duration().Seconds(), Event: s.Event, Plugins: strings.Join(s.Plugins, ","), Attempt: int32(s.Attempt), Node: s.Node,
	}
	if !s.Open {
		row.End = microsOf(s.End)
	}
	if s.Decision != nil {
		row.Verdict = s.Decision.Verdict.String()
	}
	if len(s.Steps) > 0 {
		all := make([]step, len(s.Steps))
		for i, of := range s.Steps {
			all[i] = step{Step: of.Name, Of: of.Detail, Begin: microsOf(of.Begin).String(), Failure: of.Failure}
			if !of.Open {
				all[i].End = microsOf(of.End).String()
			}
		}
		row.Steps = text(all)
	}
	t.write(&row)
}

// Pod implements journey.Sink.
func (t *Tables) Pod(p *journey.Pod) {
	cpu, memory, others := amounts(p.Requests())
	row := Pod{
		Namespace: p.Namespace, Pod: p.Name, UID: string(p.UID), Owner: owners.Of(p.Object), Scheduler: p.Object.Spec.SchedulerName, Priority: corev1.PodPriority(p.Object),
		CPU: cpu, Memory: memory, Others: others, Created: microsOf(p.Created), Bound: microsOf(p.Bound), Started: microsOf(p.Running), Ended: microsOf(p.End),
		Ending: string(p.Ending), State: p.State.String(), Node: p.Node, OnNode: p.OnNode, Attempts: int32(p.Attempts), Preempting: int32(p.Preempting), Failed: int32(p.Failed),
	}
	for state, in := range map[journey.State]*float64{
		journey.Unrecorded: &row.Unrecorded, journey.Gated: &row.Gated, journey.Queued: &row.Queued, journey.Backoff: &row.Backoff,
		journey.Unschedulable: &row.Unschedulable, journey.Attempt: &row.Attempting, journey.Permit: &row.Permit, journey.Binding: &row.Binding,
		journey.Elsewhere: &row.Elsewhere, journey.Starting: &row.Starting, journey.Running: &row.Running,
	} {
		*in = p.In[state].Seconds()
	}
	if len(p.HeldBy) > 0 {
		row.HeldBy, row.HeldFor = p.HeldBy[0].Plugin, p.HeldBy[0].For.Seconds()
	}
	t.write(&row)
}

// Node implements journey.Sink.
func (t *Tables) Node(n *journey.Node) {
	o := n.Object
	cpu, memory, others := amounts(o.Status.Allocatable)
	row := Node{
		Node: o.Name, UID: string(o.UID), Zone: o.Labels[v1.LabelTopologyZone], Region: o.Labels[v1.LabelTopologyRegion], InstanceType: o.Labels[v1.LabelInstanceTypeStable],
		Came: microsOf(n.Came), Left: microsOf(n.Left), CPU: cpu, Memory: memory, MaxPods: requests.AmountOf(o.Status.Allocatable, v1.ResourcePods), Others: others,
		Unschedulable: o.Spec.Unschedulable, Bound: int32(n.Bound), Pods: int32(n.Pods), Most: int32(n.Most),
	}
	var taints []string
	for i := range o.Spec.Taints {
		taints = append(taints, o.Spec.Taints[i].ToString())
	}
	row.Taints = strings.Join(taints, ",")
	t.write(&row)
}

// amounts are cpu, memory, and the others as JSON.
func amounts(list v1.ResourceList) (cpu, memory int64, others string) {
	more := map[string]int64{}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		switch n := requests.AmountOf(list, name); name {
		case v1.ResourceCPU:
			cpu = n
		case v1.ResourceMemory:
			memory = n
		case v1.ResourcePods:
		default:
			more[string(name)] = n
		}
	}
	if len(more) > 0 {
		others = text(more)
	}
	return cpu, memory, others
}

// text is a value as JSON; of what is given here there always is one.
func text(of any) string {
	b, err := json.Marshal(of)
	if err != nil {
		return ""
	}
	return string(printable.EscapeJSON(b))
}
