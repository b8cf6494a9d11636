package collect_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views/collect"
)

func TestPending_GroupsWithinBounds(t *testing.T) {
	const evil = "x\x1b[2J\u202e"
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	e, err := engine.New(engine.Options{Start: now})
	if err != nil {
		t.Fatal(err)
	}
	objects := []world.Object{mk.Node("small").CPU("2").Memory("4Gi").Obj()}
	for i := range 3 {
		objects = append(objects, mk.Pod(fmt.Sprint("worker-", i)).CPU("4").Memory("1Gi").Owner("apps/v1", "StatefulSet", "worker"+evil).Obj())
	}
	for i := range 110 {
		objects = append(objects, mk.Pod(fmt.Sprint("single-", i)).CPU("4").Memory("1Gi").Obj())
	}
	objects = append(objects, mk.Pod("elsewhere").Namespace("other").CPU("4").Memory("1Gi").Obj())
	for _, o := range objects {
		if err := e.Apply(world.Input{At: now, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := collect.Pending(e, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if all.Pods != 114 || all.Groups.Total != 100 || all.More != 12 || len(all.Groups.Rows) != 100 {
		t.Errorf("%d pods in %d groups and %d more, want 114 in 100 and 12", all.Pods, all.Groups.Total, all.More)
	}
	first := all.Groups.Rows[0]
	if first.Pods != 3 || !strings.HasPrefix(first.Owner, "default/statefulset/worker") || !strings.HasPrefix(first.Cause, "it requests 4 cpu") || first.Fix == "" || first.Places == 0 {
		t.Errorf("the first group is %+v", first)
	}
	eachString(reflect.ValueOf(all), func(s string) {
		if strings.ContainsAny(s, "\x1b\u202e") {
			t.Errorf("not printable: %q", s)
		}
	})
	one, err := collect.Pending(e, "other", false)
	if err != nil || one.Pods != 1 || one.Groups.Rows[0].Key != "other/elsewhere" {
		t.Errorf("in one namespace: %+v, %v", one, err)
	}
}
