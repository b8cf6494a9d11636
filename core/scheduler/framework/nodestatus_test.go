package framework_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/framework"
)

func TestNodeToStatus_NodesForStatusCode(t *testing.T) {
	unschedulable, never := fwk.NewStatus(fwk.Unschedulable), fwk.NewStatus(fwk.UnschedulableAndUnresolvable)
	tests := []struct {
		name   string
		set    map[string]*fwk.Status // set in the order c, b, a, gone
		absent *fwk.Status
		want   string
	}{
		{"the nodes with the code, in the order of Set", map[string]*fwk.Status{"c": unschedulable, "b": never, "a": unschedulable}, never, "c a"},
		{"a deleted node is left out", map[string]*fwk.Status{"gone": unschedulable, "a": unschedulable}, never, "a"},
		{"none has it", map[string]*fwk.Status{"a": never}, never, ""},
		{"the shared status has it: all nodes", nil, unschedulable, "a b c d"},
		{"the shared status has it: all but the exceptions", map[string]*fwk.Status{"b": never, "c": unschedulable}, unschedulable, "a c d"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			statuses := framework.NewNodeToStatus(0)
			for _, name := range []string{"gone", "c", "b", "a"} {
				if s, ok := tt.set[name]; ok {
					statuses.Set(name, s)
				}
			}
			statuses.SetAbsentNodesStatus(tt.absent)
			found, err := statuses.NodesForStatusCode(nodes("a", "b", "c", "d"), fwk.Unschedulable)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range found {
				got = append(got, n.Node().Name)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
	statuses := framework.NewNodeToStatus(0)
	if _, err := statuses.NodesForStatusCode(unreadable{}, fwk.UnschedulableAndUnresolvable); err == nil {
		t.Error("a snapshot that cannot be read gave no error")
	}
}

// A search appends, and other code sets and gets; the result equals a map.
func TestNodeToStatus_AgreesWithMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		statuses, model := framework.NewNodeToStatus(rapid.IntRange(0, 4).Draw(rt, "room")), map[string]*fwk.Status{}
		absent := statuses.AbsentNodesStatus()
		if rapid.Bool().Draw(rt, "used before") {
			statuses.Append(nodes("n1")[0], fwk.NewStatus(fwk.Unschedulable))
			statuses.Set("n2", fwk.NewStatus(fwk.Unschedulable))
			statuses.SetAbsentNodesStatus(nil)
			statuses.Reset()
		}
		var order []string
		give := func(name string, how func(string, *fwk.Status)) {
			s := fwk.NewStatus(fwk.Unschedulable, "reason")
			how(name, s)
			if model[name] == nil {
				order = append(order, name)
			}
			model[name] = s
		}
		// Before the search: at most a few nodes, such as the nominated one.
		for range rapid.IntRange(0, 3).Draw(rt, "early") {
			give(fmt.Sprintf("n%d", rapid.IntRange(0, 39).Draw(rt, "node")), statuses.Set)
		}
		for i := range rapid.IntRange(0, 40).Draw(rt, "searched") {
			give(fmt.Sprintf("n%d", i), func(name string, s *fwk.Status) { statuses.Append(nodes(name)[0], s) })
		}
		for range rapid.IntRange(0, 10).Draw(rt, "later") {
			name := fmt.Sprintf("n%d", rapid.IntRange(0, 59).Draw(rt, "node"))
			give(name, statuses.Set)
			if statuses.Get(name) != model[name] {
				rt.Fatalf("%s does not have its status", name)
			}
		}
		for i := range 60 {
			name := fmt.Sprintf("n%d", i)
			want := model[name]
			if want == nil {
				want = absent
			}
			if statuses.Get(name) != want {
				rt.Fatalf("%s has the wrong status", name)
			}
		}
		var got []string
		for name, s := range statuses.All() {
			if got = append(got, name); model[name] != s {
				rt.Fatalf("%s is listed with the wrong status", name)
			}
		}
		if diff := cmp.Diff(order, got); diff != "" || statuses.Len() != len(model) {
			rt.Fatalf("%d nodes (-want +got):\n%s", statuses.Len(), diff)
		}
	})
}
