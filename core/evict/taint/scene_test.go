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
	"orrery/core/mk"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// scene plays a script to a controller, in seconds since noon, and writes down what becomes of it:
//
//	0   node n1 key=value:NoExecute other        a node with taints; NoExecute if nothing is said
//	0   pod a n1 key=value other/60 +NoExecute   a pod on a node, with tolerations; /60 is for 60 seconds
//	0   pod a -                                  a pod without a node
//	5   gone pod a
//	5   gone node n1
//	9   nothing                                  time passes
//
// A toleration without a value tolerates all values; one of key * all keys. The scene is a world without delays in which
// deleted pods are gone at once, unless outcome says how a call ends.
type scene struct {
	t       *testing.T
	c       *taint.Controller
	now     time.Time
	version int
	pods    map[string]*v1.Pod
	nodes   map[string]*v1.Node
	outcome func(world.Effect) world.Outcome
	log     strings.Builder
}

func newScene(t *testing.T, o taint.Options) *scene {
	o.FirstEffect = 1000
	return &scene{
		t: t, c: taint.New(o), now: noon, pods: map[string]*v1.Pod{}, nodes: map[string]*v1.Node{},
		outcome: func(world.Effect) world.Outcome { return world.Outcome{} },
	}
}

func (s *scene) play(script string) string {
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

// pass lets time go by, from one timer to the next.
func (s *scene) pass(to time.Time) {
	for {
		wake, ok := s.c.NextWake()
		if !ok || wake.After(to) {
			break
		}
		s.tell(wake, world.Tick{})
	}
	s.now = to
}

func (s *scene) do(words []string) {
	switch words[0] {
	case "node":
		s.tell(s.now, world.Changed{Op: world.Modified, Object: s.node(words[1], words[2:])})
	case "pod":
		s.tell(s.now, world.Changed{Op: world.Modified, Object: s.pod(words[1], strings.Trim(words[2], "-"), words[3:])})
	case "gone":
		if words[1] == "pod" {
			s.remove(words[2])
		} else {
			s.tell(s.now, world.Changed{Op: world.Deleted, Object: s.nodes[words[2]]})
		}
	case "nothing":
	default:
		s.t.Fatalf("no such word: %q", words[0])
	}
}

func (s *scene) node(name string, taints []string) *v1.Node {
	node := mk.Node(name).Obj()
	for _, text := range taints {
		key, value, effect, _ := parse(text)
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: key, Value: value, Effect: cmpOr(effect, v1.TaintEffectNoExecute)})
	}
	node.ResourceVersion = s.next()
	s.nodes[name] = node
	return node
}

func (s *scene) pod(name, node string, tolerations []string) *v1.Pod {
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

func (s *scene) remove(name string) {
	pod := s.pods[name].DeepCopy()
	pod.ResourceVersion = s.next()
	delete(s.pods, name)
	s.tell(s.now, world.Changed{Op: world.Deleted, Object: pod})
}

func (s *scene) next() string {
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

// parse takes key=value:Effect/seconds apart.
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

// tell applies an event, then carries out what is wanted.
func (s *scene) tell(at time.Time, event world.Event) {
	s.now = at
	s.c.Apply(world.Input{At: at, Event: event})
	for _, e := range s.c.Effects() {
		s.carryOut(e)
	}
}

func (s *scene) carryOut(e world.Effect) {
	out := s.outcome(e)
	switch act := e.Action.(type) {
	case world.EmitEvent:
		s.say("%s", act.Note)
		return
	case world.PatchStatus:
		s.say("%s %s%s", act.Pod.Name, act.Condition.Type, failed(out))
		if pod := s.pods[act.Pod.Name]; pod != nil && out.OK() {
			pod = pod.DeepCopy()
			pod.Status.Conditions = []v1.PodCondition{*act.Condition}
			pod.ResourceVersion = s.next()
			s.pods[pod.Name] = pod
			s.tell(s.now, world.Changed{Op: world.Modified, Object: pod})
		}
	case world.Delete:
		s.say("%s deleted%s", act.Pod.Name, failed(out))
		if s.pods[act.Pod.Name] != nil && out.OK() {
			s.remove(act.Pod.Name)
		}
	}
	s.tell(s.now, world.EffectDone{Effect: e.ID, Outcome: out})
}

func failed(o world.Outcome) string {
	if o.OK() {
		return ""
	}
	return " fails"
}

func (s *scene) say(format string, args ...any) {
	fmt.Fprintf(&s.log, "%vs "+format+"\n", append([]any{s.now.Sub(noon).Seconds()}, args...)...)
}

// deletions plays a script and hands over only the lines about deletions: "300s a".
func deletions(t *testing.T, o taint.Options, script string) string {
	t.Helper()
	o.Act = true
	var kept []string
	for line := range strings.Lines(newScene(t, o).play(script)) {
		if words := strings.Fields(line); len(words) == 3 && words[2] == "deleted" {
			kept = append(kept, words[0]+" "+words[1])
		}
	}
	return strings.Join(kept, ", ")
}

// record is what a record says, a line for each eviction.
func board(b *evict.Record) string {
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
	return world.Outcome{Code: fwk.Error, Reason: reason, Message: "the API server is away"}
}
