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
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// fixture runs a script, whose times are in seconds since noon, and logs the controller's changes:
//
//	0   n1@z1 ready            a node of a zone, with its Ready condition: ready, notready, unknown, none,
//	                           cordoned, excluded, another condition that is true, or +key:Effect for a taint
//	0   n1..n9@z1 ready        several nodes
//	5   renew n1               its lease is renewed
//	5   delete n1
//	9   wait                   time passes
type fixture struct {
	t       *testing.T
	m       *lifecycle.Controller
	execute bool // apply the changes to the nodes
	now     time.Time
	version int
	nodes   map[string]*v1.Node
	log     strings.Builder
}

func newFixture(t *testing.T, o lifecycle.Options) *fixture {
	o.Start = noon
	return &fixture{t: t, m: lifecycle.New(o), execute: true, now: noon, nodes: map[string]*v1.Node{}}
}

// play runs a script and returns the changes: "55s n1 +unreachable:NoSchedule".
func (s *fixture) play(script string) string {
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
		case "wait":
		case "renew":
			s.renew(words[2])
		case "delete":
			s.apply(s.now, world.Changed{Op: world.Deleted, Object: s.nodes[words[2]]})
			delete(s.nodes, words[2])
		default:
			for _, name := range names(words[1]) {
				s.set(nodeOf(name, s.now, words[2:]))
			}
		}
	}
	return s.log.String()
}

// names expands n1..n9@z1; each name has its zone.
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
		case "none":
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

// set applies a change of a node, which keeps its taints.
func (s *fixture) set(node *v1.Node) {
	if was := s.nodes[node.Name]; was != nil {
		node.Spec.Taints, node.CreationTimestamp = was.Spec.Taints, was.CreationTimestamp
	}
	s.nodes[node.Name] = node
	s.apply(s.now, world.Changed{Op: world.Modified, Object: s.fresh(node)})
}

func (s *fixture) fresh(node *v1.Node) *v1.Node {
	s.version++
	node.ResourceVersion = strconv.Itoa(s.version)
	return node
}

func (s *fixture) renew(name string) {
	s.version++
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Namespace: v1.NamespaceNodeLease, Name: name, UID: types.UID("lease/" + name), ResourceVersion: strconv.Itoa(s.version),
	}}
	lease.Spec.RenewTime = &metav1.MicroTime{Time: s.now}
	s.apply(s.now, world.Changed{Op: world.Modified, Object: lease})
}

func (s *fixture) pass(to time.Time) {
	for {
		wake, ok := s.m.NextWake()
		if !ok || wake.After(to) {
			break
		}
		s.apply(wake, world.Tick{})
	}
	s.now = to
}

func (s *fixture) apply(at time.Time, event world.Event) {
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
		if s.execute {
			s.perform(c)
		}
	}
}

func (s *fixture) perform(c lifecycle.Change) {
	node := s.nodes[c.Node].DeepCopy()
	for _, removed := range c.Remove {
		for i := range node.Spec.Taints {
			if node.Spec.Taints[i].MatchTaint(&removed) {
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
	s.apply(s.now, world.Changed{Op: world.Modified, Object: s.fresh(node)})
}

func short(t v1.Taint) string {
	return strings.TrimPrefix(t.Key, "node.kubernetes.io/") + ":" + string(t.Effect)
}

// noExecute returns the changes that add NoExecute taints: "0s n1, 10s n2".
func noExecute(log string) string {
	var kept []string
	for line := range strings.Lines(log) {
		if words := strings.Fields(line); strings.Contains(line, "+unreachable:NoExecute") || strings.Contains(line, "+not-ready:NoExecute") {
			kept = append(kept, words[0]+" "+words[1])
		}
	}
	return strings.Join(kept, ", ")
}

func recordText(b *evict.Record) string {
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
