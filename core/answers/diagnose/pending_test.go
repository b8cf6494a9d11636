package diagnose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestPending_GroupsByOwnerAndCause(t *testing.T) {
	objects := []world.Object{node("a", "4").Obj(), node("b", "4").Obj()}
	for i := range 3 {
		web := mk.Pod(fmt.Sprintf("web-%d", i)).Owner("apps/v1", "ReplicaSet", "web-5c9b").Label("pod-template-hash", "5c9b")
		objects = append(objects, web.CPU("3").Obj())
	}
	objects = append(objects,
		mk.Pod("db-0").Owner("apps/v1", "StatefulSet", "db").NodeSelector("disk", "ssd").Obj(),
		mk.Pod("db-1").Owner("apps/v1", "StatefulSet", "db").Gate("example.com/quota").Obj(),
		mk.Pod("alone").Scheduler("mine").Obj())
	e := engineWith(t, objects...)
	for _, tt := range []struct {
		name   string
		filter func(*diagnose.Group) bool
		want   string
	}{
		{"all", func(*diagnose.Group) bool { return true }, `
			default/deployment/web [web-2]: both nodes are 2 short of cpu at best (requests 3, at most 1 free, on a); add one more node like a places 1
			default/pod/alone [alone]: it has placed none of the pods here
			default/statefulset/db [db-0]: no node has the label disk; label node a with disk=ssd, if it is so places 1
			default/statefulset/db [db-1]: it would be placed on a or b; remove its scheduling gates places 1
			1 more like a place 1`},
		{"of one owner", func(g *diagnose.Group) bool { return g.Owner == "pod/alone" }, `
			default/pod/alone [alone]: it has placed none of the pods here`},
		{"of none", func(*diagnose.Group) bool { return false }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			groups, err := diagnose.Pending(e, tt.filter)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, g := range groups {
				got += "\n" + describeGroup(g)
			}
			like, nodes, places, err := diagnose.Capacity(e, groups)
			if err != nil {
				t.Fatal(err)
			}
			if nodes > 0 {
				got += fmt.Sprintf("\n%d more like %s place %d", nodes, strings.Replace(like, "b", "a", 1), places)
			}
			if diff := cmp.Diff(strings.ReplaceAll(tt.want, "\t", ""), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// describeGroup leaves out which of two equal nodes was taken, and all but the last clause of the summary.
func describeGroup(g *diagnose.Group) string {
	var names []string
	for _, pod := range g.Pods {
		names = append(names, pod.Name)
	}
	summary := g.Diagnosis.Summary[strings.LastIndex(g.Diagnosis.Summary, "; ")+1:]
	summary = strings.TrimSpace(summary[strings.LastIndex(summary, ": ")+1:])
	summary = strings.NewReplacer("placed on a", "placed on a or b", "placed on b", "placed on a or b").Replace(summary)
	text := fmt.Sprintf("%s/%s %s: %s", g.Namespace, g.Owner, names, summary)
	if g.Fix != nil {
		text += fmt.Sprintf("; %s places %d", g.Fix.Text, g.Places)
	}
	return text
}

func TestPending_ReadsOnly(t *testing.T) {
	e := engineWith(t, node("a", "1").Obj(), mk.Pod("web").CPU("3").Obj(), node("b", "2").Taint("team", "red", v1.TaintEffectNoSchedule).Obj())
	before := e.Digest()
	for range 2 {
		groups, err := diagnose.Pending(e, func(*diagnose.Group) bool { return true })
		if err != nil || len(groups) != 1 {
			t.Fatalf("%d groups, %v", len(groups), err)
		}
		if _, _, _, err := diagnose.Capacity(e, groups); err != nil {
			t.Fatal(err)
		}
	}
	if after := e.Digest(); after != before {
		t.Errorf("the digest is %s after the questions, %s before", after, before)
	}
}
