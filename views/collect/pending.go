package collect

import (
	"fmt"

	"orrery/core/answers/diagnose"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

// maxGroups bounds the groups that are diagnosed: pods without an owner are a group each.
//
//orrery:limit screen; groups of pending pods that are diagnosed; the others are counted
const maxGroups = 100

// Pending diagnoses all pending pods, by owner and cause. It takes up to seconds, and is for a fork of the engine, on a
// goroutine of its own.
func Pending(e *engine.Engine, namespace string) (*views.Pending, error) {
	v := &views.Pending{At: e.Now()}
	kept := 0
	groups, err := diagnose.Pending(e, func(g *diagnose.Group) bool {
		if namespace != "" && g.Namespace != namespace {
			return false
		}
		v.Pods += len(g.Pods)
		if kept++; kept > maxGroups {
			v.More++
			return false
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("diagnosing the pending pods: %w", err)
	}
	for _, g := range groups {
		row := views.PendingGroup{
			Owner: printable.Text(g.Namespace + "/" + g.Owner), Key: world.PodRefOf(g.Pods[0]).String(), Pods: len(g.Pods),
			Oldest: g.Oldest, Cause: printable.Text(g.Diagnosis.Summary), Places: g.Places,
		}
		if g.Fix != nil {
			row.Fix = printable.Text(g.Fix.Text)
		}
		v.Groups.Rows = append(v.Groups.Rows, row)
	}
	v.Groups.Total = len(v.Groups.Rows)
	like, nodes, places, err := diagnose.Capacity(e, groups)
	if err != nil {
		return nil, fmt.Errorf("looking for the nodes that would place the pending pods: %w", err)
	}
	if nodes > 0 {
		noun := "nodes"
		if nodes == 1 {
			noun = "node"
		}
		v.Capacity = fmt.Sprintf("%d more %s like %s would place %d of the %d pods", nodes, noun, printable.Text(like), places, v.Pods)
	}
	return v, nil
}
