package taint_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/evict"
	"orrery/core/evict/taint"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// fixture runs a script, whose times are in seconds since noon, and logs the controller's effects:
//
//	0   node n1 key=value:NoExecute other        a node with taints; the default effect is NoExecute
//	0   pod a n1 key=value other/60 +NoExecute   a pod on a node, with tolerations; /60 is for 60 seconds
//	0   pod a -                                  a pod without a node
//	5   delete pod a
//	5   delete node n1
//	9   wait                                     time passes
//
// A toleration without a value tolerates all values; one of key * all keys. The cluster has no delays: a deleted pod is gone at
// once, unless outcome makes the call fail.
type fixture struct {
	t       *testing.T
	c       *taint.Controller
	now     time.Time
	version int
	pods    map[string]*v1.Pod
	nodes   map[string]*v1.Node
	outcome func(world.Effect) world.Outcome
	log     strings.Builder
}

func newFixture(t *testing.T, o taint.Options) *fixture {
	o.FirstEffect = 1000
	return &fixture{
		t: t, c: taint.New(o), now: noon, pods: map[string]*v1.Pod{}, nodes: map[string]*v1.Node{},
		outcome: func(world.Effect) world.Outcome { return world.Outcome{} },
	}
}

func (s *fixture) play(script string) string {
	s.t.Helper()
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		seconds, err := strconv.ParseFloat(words[0], 64)
		if err != nil {
			s.t.Fatalf("line %q: %v", line, err)
		}
		s.pass(noon.Add(time.Duration(seconds * float64(time.Second))))
		s.do(words[1:])
	}
	return s.log.String()
}

// pass advances the time, from one timer to the next.
func (s *fixture) pass(to time.Time) {
	for {
		wake, ok := s.c.NextWake()
		if !ok || wake.After(to) {
			break
		}
		s.apply(wake, world.Tick{})
	}
	s.now = to
}

func (s *fixture) do(words []string) {
	switch words[0] {
	case "node":
		s.apply(s.now, world.Changed{Op: world.Modified, Object: s.node(words[1], words[2:])})
	case "pod":
		s.apply(s.now, world.Changed{Op: world.Modified, Object: s.pod(words[1], strings.Trim(words[2], "-"), words[3:])})
	case "delete":
		if words[1] == "pod" {
			s.remove(words[2])
		} else {
			s.apply(s.now, world.Changed{Op: world.Deleted, Object: s.nodes[words[2]]})
		}
	case "wait":
	default:
		s.t.Fatalf("no such command: %q", words[0])
	}
}

func (s *fixture) node(name string, taints []string) *v1.Node {
	node := mk.Node(name).Obj()
	for _, text := range taints {
		key, value, effect, _ := parse(text)
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: key, Value: value, Effect: cmpOr(effect, v1.TaintEffectNoExecute)})
	}
	node.ResourceVersion = s.next()
	s.nodes[name] = node
	return node
}

func (s *fixture) pod(name, node string, tolerations []string) *v1.Pod {
	pod := mk.Pod(name).Node(node).Obj()
	if was := s.pods[name]; was != nil {
		pod = was.DeepCopy()
	}
	if pod.Spec.NodeName == "" { // a pod that has a node keeps it
		pod.Spec.NodeName = node
	}
	pod.Spec.Tolerations = nil
	for _, text := range tolerations {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, tolerationOf(text))
	}
	pod.ResourceVersion = s.next()
	s.pods[name] = pod
	return pod
}

func (s *fixture) remove(name string) {
	pod := s.pods[name].DeepCopy()
	pod.ResourceVersion = s.next()
	delete(s.pods, name)
	s.apply(s.now, world.Changed{Op: world.Deleted, Object: pod})
}

func (s *fixture) next() string {
	s.version++
	return strconv.Itoa(s.version)
}

func tolerationOf(text string) v1.Toleration {
	key, value, effect, seconds := parse(text)
	t := v1.Toleration{Key: key, Value: value, Effect: effect, TolerationSeconds: seconds, Operator: v1.TolerationOpEqual}
	if value == "" {
		t.Operator = v1.TolerationOpExists
	}
	if op := strings.Trim(value, "-0123456789"); op == ">" || op == "<" {
		t.Operator, t.Value = map[string]v1.TolerationOperator{">": v1.TolerationOpGt, "<": v1.TolerationOpLt}[op], value[1:]
	}
	if key == "*" {
		t.Key = ""
	}
	return t
}

// parse parses key=value:Effect/seconds.
func parse(text string) (key, value string, effect v1.TaintEffect, seconds *int64) {
	text, limit, limited := strings.Cut(text, "/")
	if limited {
		n, err := strconv.ParseInt(limit, 10, 64)
		if err != nil {
			panic(err)
		}
		seconds = &n
	}
	text, of, _ := strings.Cut(text, ":")
	key, value, _ = strings.Cut(text, "=")
	return key, value, v1.TaintEffect(of), seconds
}

func cmpOr[T comparable](a, b T) T {
	var zero T
	if a == zero {
		return b
	}
	return a
}

// apply applies an event, then performs the effects.
func (s *fixture) apply(at time.Time, event world.Event) {
	s.now = at
	s.c.Apply(world.Input{At: at, Event: event})
	for _, e := range s.c.Effects() {
		s.perform(e)
	}
}

func (s *fixture) perform(e world.Effect) {
	out := s.outcome(e)
	switch action := e.Action.(type) {
	case world.EmitEvent:
		s.logf("%s", action.Note)
		return
	case world.PatchStatus:
		s.logf("%s %s%s", action.Pod.Name, action.Condition.Type, failed(out))
		if pod := s.pods[action.Pod.Name]; pod != nil && out.OK() {
			pod = pod.DeepCopy()
			pod.Status.Conditions = []v1.PodCondition{*action.Condition}
			pod.ResourceVersion = s.next()
			s.pods[pod.Name] = pod
			s.apply(s.now, world.Changed{Op: world.Modified, Object: pod})
		}
	case world.Delete:
		s.logf("%s deleted%s", action.Pod.Name, failed(out))
		if s.pods[action.Pod.Name] != nil && out.OK() {
			s.remove(action.Pod.Name)
		}
	}
	s.apply(s.now, world.EffectDone{Effect: e.ID, Outcome: out})
}

func failed(o world.Outcome) string {
	if o.OK() {
		return ""
	}
	return " fails"
}

func (s *fixture) logf(format string, args ...any) {
	fmt.Fprintf(&s.log, "%vs "+format+"\n", append([]any{s.now.Sub(noon).Seconds()}, args...)...)
}

// deletions runs a script and returns the deletions: "300s a".
func deletions(t *testing.T, o taint.Options, script string) string {
	t.Helper()
	o.Act = true
	var kept []string
	for line := range strings.Lines(newFixture(t, o).play(script)) {
		if words := strings.Fields(line); len(words) == 3 && words[2] == "deleted" {
			kept = append(kept, words[0]+" "+words[1])
		}
	}
	return strings.Join(kept, ", ")
}

// recordText is a line for each eviction.
func recordText(b *evict.Record) string {
	var text strings.Builder
	for _, d := range append(b.Open(), b.Ended()...) {
		deadline := "-"
		if !d.Deadline.IsZero() {
			deadline = fmt.Sprintf("%vs", d.Deadline.Sub(noon).Seconds())
		}
		fmt.Fprintf(&text, "%s on %s: %s, %s, %s\n", d.Pod.Name, d.Node, d.Phase, deadline, d.Reason)
	}
	return text.String()
}

func outage(reason metav1.StatusReason) world.Outcome {
	return world.Outcome{Code: fwk.Error, Reason: reason, Message: "the API server is unavailable"}
}
