package lifecycle_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/evict/lifecycle"
	"orrery/core/mk"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// scene plays a script to a machine, in seconds since noon, and writes its changes down:
//
//	0   n1@z1 ready            a node of a zone, and what it says: ready, notready, unknown, silence (nothing),
//	                           cordoned, excluded, a condition that is true, or +key:Effect for a taint it comes with
//	0   n1..n9@z1 ready        several
//	5   beat n1                its lease is renewed
//	5   gone n1
//	9   nothing                time passes
type scene struct {
	t       *testing.T
	m       *lifecycle.Controller
	obey    bool // carry changes out
	now     time.Time
	version int
	nodes   map[string]*v1.Node
	log     strings.Builder
}

func newScene(t *testing.T, o lifecycle.Options) *scene {
	o.Start = noon
	return &scene{t: t, m: lifecycle.New(o), obey: true, now: noon, nodes: map[string]*v1.Node{}}
}

// play plays a script, and says what changed: "55s n1 +unreachable:NoSchedule".
func (s *scene) play(script string) string {
	s.t.Helper()
	s.log.Reset()
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
		switch words[1] {
		case "nothing":
		case "beat":
			s.beat(words[2])
		case "gone":
			s.tell(s.now, world.Changed{Op: world.Deleted, Object: s.nodes[words[2]]})
			delete(s.nodes, words[2])
		default:
			for _, name := range names(words[1]) {
				s.set(nodeOf(name, s.now, words[2:]))
			}
		}
	}
	return s.log.String()
}

// names are those of n1..n9@z1, each with its zone.
func names(text string) []string {
	text, zone, _ := strings.Cut(text, "@")
	first, last, several := strings.Cut(text, "..")
	if !several {
		return []string{text + "@" + zone}
	}
	from, _ := strconv.Atoi(first[1:])
	to, _ := strconv.Atoi(last[1:])
	var all []string
	for i := from; i <= to; i++ {
		all = append(all, fmt.Sprintf("%s%0*d@%s", first[:1], len(first)-1, i, zone))
	}
	return all
}

func nodeOf(name string, now time.Time, words []string) *v1.Node {
	name, zone, _ := strings.Cut(name, "@")
	node := mk.Node(name).Zone(zone).Obj()
	node.CreationTimestamp = metav1.Time{Time: now}
	node.Status.Conditions = nil
	for _, word := range words {
		c := v1.NodeCondition{Type: v1.NodeReady, LastHeartbeatTime: metav1.Time{Time: now}}
		switch word {
		case "ready":
			c.Status = v1.ConditionTrue
		case "notready":
			c.Status = v1.ConditionFalse
		case "unknown":
			c.Status = v1.ConditionUnknown
		case "silence":
			continue
		case "cordoned":
			node.Spec.Unschedulable = true
			continue
		case "excluded":
			node.Labels["node.kubernetes.io/exclude-disruption"] = ""
			continue
		default:
			if key, effect, tainted := strings.Cut(strings.TrimPrefix(word, "+"), ":"); tainted {
				node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: key, Effect: v1.TaintEffect(effect)})
				continue
			}
			c.Type, c.Status = v1.NodeConditionType(word), v1.ConditionTrue
		}
		node.Status.Conditions = append(node.Status.Conditions, c)
	}
	return node
}

// set has the world tell of a node, which keeps its taints.
func (s *scene) set(node *v1.Node) {
	if was := s.nodes[node.Name]; was != nil {
		node.Spec.Taints, node.CreationTimestamp = was.Spec.Taints, was.CreationTimestamp
	}
	s.nodes[node.Name] = node
	s.tell(s.now, world.Changed{Op: world.Modified, Object: s.fresh(node)})
}

func (s *scene) fresh(node *v1.Node) *v1.Node {
	s.version++
	node.ResourceVersion = strconv.Itoa(s.version)
	return node
}

func (s *scene) beat(name string) {
	s.version++
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Namespace: v1.NamespaceNodeLease, Name: name, UID: types.UID("lease/" + name), ResourceVersion: strconv.Itoa(s.version),
	}}
	lease.Spec.RenewTime = &metav1.MicroTime{Time: s.now}
	s.tell(s.now, world.Changed{Op: world.Modified, Object: lease})
}

func (s *scene) pass(to time.Time) {
	for {
		wake, ok := s.m.NextWake()
		if !ok || wake.After(to) {
			break
		}
		s.tell(wake, world.Tick{})
	}
	s.now = to
}

func (s *scene) tell(at time.Time, event world.Event) {
	s.now = at
	s.m.Apply(world.Input{At: at, Event: event})
	for _, c := range s.m.Changes() {
		fmt.Fprintf(&s.log, "%vs %s", c.At.Sub(noon).Seconds(), c.Node)
		if c.Unknown {
			s.log.WriteString(" unknown")
		}
		for _, t := range c.Remove {
			s.log.WriteString(" -" + short(t))
		}
		for _, t := range c.Add {
			s.log.WriteString(" +" + short(t))
		}
		s.log.WriteString("\n")
		if s.obey {
			s.carryOut(c)
		}
	}
}

func (s *scene) carryOut(c lifecycle.Change) {
	node := s.nodes[c.Node].DeepCopy()
	for _, gone := range c.Remove {
		for i := range node.Spec.Taints {
			if node.Spec.Taints[i].MatchTaint(&gone) {
				node.Spec.Taints = append(node.Spec.Taints[:i], node.Spec.Taints[i+1:]...)
				break
			}
		}
	}
	node.Spec.Taints = append(node.Spec.Taints, c.Add...)
	if c.Unknown {
		for i := range node.Status.Conditions {
			node.Status.Conditions[i].Status = v1.ConditionUnknown
		}
		if len(node.Status.Conditions) == 0 {
			node.Status.Conditions = []v1.NodeCondition{{
				Type: v1.NodeReady, Status: v1.ConditionUnknown, LastHeartbeatTime: node.CreationTimestamp,
			}}
		}
	}
	s.nodes[node.Name] = node
	s.tell(s.now, world.Changed{Op: world.Modified, Object: s.fresh(node)})
}

func short(t v1.Taint) string {
	return strings.TrimPrefix(t.Key, "node.kubernetes.io/") + ":" + string(t.Effect)
}

// executed keeps of what changed only where NoExecute taints were set: "0s n1, 10s n2".
func executed(log string) string {
	var kept []string
	for line := range strings.Lines(log) {
		if words := strings.Fields(line); strings.Contains(line, "+unreachable:NoExecute") || strings.Contains(line, "+not-ready:NoExecute") {
			kept = append(kept, words[0]+" "+words[1])
		}
	}
	return strings.Join(kept, ", ")
}

func board(b *evict.Record) string {
	var text strings.Builder
	for _, d := range append(b.Open(), b.Ended()...) {
		deadline := "?"
		if !d.Deadline.IsZero() {
			deadline = fmt.Sprintf("%vs", d.Deadline.Sub(noon).Seconds())
		}
		fmt.Fprintf(&text, "%s: %s, %s, %s\n", d.Pod.Name, d.Phase, deadline, d.Reason)
	}
	return text.String()
}
