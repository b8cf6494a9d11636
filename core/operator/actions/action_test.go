package actions_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/operator/actions"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// every has one action of each type.
var every = []actions.Action{
	actions.Cordon{Node: "node-1"},
	actions.Uncordon{Node: "node-1"},
	actions.Drain{Node: "node-1"},
	actions.Evict{Pod: world.PodRefOf(web)},
	actions.Delete{Pod: world.PodRefOf(web)},
	actions.Activate{Pod: world.PodRefOf(held)},
	actions.Ungate{Pod: world.PodRefOf(held), Gates: []string{"example.com/quota", "example.com/other"}},
	actions.Several{Actions: []actions.Action{actions.Drain{Node: "node-1"}, actions.Drain{Node: "node-2"}}},
}

// TestAction_EveryText: all that the screen shows of an action before and after it.
func TestAction_EveryText(t *testing.T) {
	var b strings.Builder
	for _, a := range every {
		fmt.Fprintf(&b, "%s: %s: %s\n  undo: %s\n", a.Verb(), a, a.DoneText(), a.UndoText())
		for _, line := range slices.Concat([]string{a.Command(), change.Words(a.Changes())}, a.Notes()) {
			b.WriteString("  " + cmp.Or(line, "-") + "\n")
		}
	}
	const want = `cordon: cordon node node-1: cordoned node node-1
  undo: c uncordons it.
  kubectl cordon node-1
  cordon node-1
uncordon: uncordon node node-1: uncordoned node node-1
  undo: c cordons it; pods that were scheduled meanwhile stay.
  kubectl uncordon node-1
  uncordon node-1
drain: drain node node-1: drained node node-1
  undo: c uncordons it; pods are not moved back.
  kubectl drain node-1 --ignore-daemonsets --delete-emptydir-data --force
  drain node-1
  Pods of DaemonSets stay; pods without a controller are not recreated.
  Data in emptyDir volumes is lost.
evict: evict pod shop/web: evicted pod shop/web
  undo: none; only a controller creates another pod, and perhaps on another node.
  echo '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"shop","name":"web"}}' | kubectl create --raw /api/v1/namespaces/shop/pods/web/eviction -f -
  delete pod shop/web
delete: delete pod shop/web: deleted pod shop/web
  undo: none; only a controller creates another pod. Its budgets are not asked: E asks them.
  kubectl delete pod -n shop web
  delete pod shop/web
activate: activate pod shop/held: activated pod shop/held
  undo: none; if it fails again, it backs off again.
  -
  -
ungate: remove scheduling gates example.com/quota, example.com/other from pod shop/held: removed the scheduling gates of pod shop/held
  undo: none; the API does not let a gate be put back.
  kubectl patch pod -n shop held --type merge -p '{"spec":{"schedulingGates":null}}'
  ungate shop/held
drain all: drain node node-1; drain node node-2: drained node node-1; drained node node-2
  undo: c uncordons it; pods are not moved back.
  kubectl drain node-1 --ignore-daemonsets --delete-emptydir-data --force && kubectl drain node-2 --ignore-daemonsets --delete-emptydir-data --force
  drain node-1, drain node-2
  Pods of DaemonSets stay; pods without a controller are not recreated.
  Data in emptyDir volumes is lost.
`
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestAction_EveryTypeIsInTheTable: a type with the methods of an action is in the table above.
func TestAction_EveryTypeIsInTheTable(t *testing.T) {
	var tested []string
	for _, a := range every {
		tested = append(tested, reflect.TypeOf(a).Name())
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "do" {
				if of := f.Recv.List[0].Type.(*ast.Ident).Name; !slices.Contains(tested, of) {
					t.Errorf("%s: add an actions.%s to the table", name, of)
				}
			}
		}
	}
}

func TestPropose_RefusesWhatCannotBe(t *testing.T) {
	free := mk.Pod("free").Namespace("shop").Obj()
	cordoned := mk.Node("node-1").Unschedulable().Obj()
	if a := actions.ToggleCordon(cordoned); a != (actions.Uncordon{Node: "node-1"}) {
		t.Errorf("a cordoned node is offered %v", a)
	}
	for _, tt := range []struct {
		propose func(*v1.Pod) (actions.Action, error)
		pod     *v1.Pod
		want    string
	}{
		{actions.ProposeEvict, free, "pod shop/free is on no node that it could be evicted from"},
		{actions.ProposeActivate, web, "pod shop/web has its node already"},
		{actions.ProposeUngate, web, "no scheduling gate holds pod shop/web"},
	} {
		if a, err := tt.propose(tt.pod); err == nil || err.Error() != tt.want {
			t.Errorf("proposed %v, %v, want %q", a, err, tt.want)
		}
	}
}
