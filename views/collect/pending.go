package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/views"
)

// maxGroups bounds the groups that are diagnosed: pods without an owner are a group each.
//
//orrery:limit screen; groups of pending pods that are diagnosed; the others are counted
const maxGroups = 100

// Pending diagnoses all pending pods, by owner and cause. It takes up to seconds, and is for a fork of the engine, on a
// goroutine of its own. An engine that shadows another scheduler has places for pods that the other is to bind: those are pending, too.
func Pending(e *engine.Engine, namespace string, shadows bool) (*views.Pending, error) {
	v := &views.Pending{At: e.Now()}
	kept := 0
	a, err := diagnose.AskPending(e, func(g *diagnose.Group) bool {
		if namespace != "" && g.Namespace != namespace {
			return false
		}
		v.Pods += len(g.Pods)
		if kept++; kept > maxGroups {
			v.More++
			return false
		}
		return true
	}, diagnose.Question{})
	if err != nil {
		return nil, fmt.Errorf("diagnosing the pending pods: %w", err)
	}
	for i := range a.Groups {
		g := &a.Groups[i]
		row := views.PendingGroup{
			Owner: printable.Text(g.Namespace + "/" + g.Owner), Key: g.Namespace + "/" + g.Pods[0], Pods: len(g.Pods),
			Oldest: g.Oldest, Cause: printable.Text(g.Summary), Places: g.Places,
		}
		if g.Fix != nil {
			row.Fix = printable.Text(g.Fix.Text)
		}
		v.Groups.Rows = append(v.Groups.Rows, row)
	}
	if shadows {
		addDecided(v, e, namespace)
	}
	v.Groups.Total = len(v.Groups.Rows)
	if c := a.Capacity; c != nil {
		v.Capacity = fmt.Sprintf("%d more %s like %s would place %d of the %d pods", c.Nodes, plural.Of(c.Nodes, "node"), printable.Text(c.Like), c.Places, v.Pods)
	}
	return v, nil
}

// addDecided adds the pods that have a place and are not bound, by owner.
func addDecided(v *views.Pending, e *engine.Engine, namespace string) {
	byOwner := map[string]int{}
	for _, b := range e.Bindings() {
		pod := e.Store().Pod(b.Pod.Namespace, b.Pod.Name)
		if pod == nil || len(b.Waiting) > 0 || namespace != "" && b.Pod.Namespace != namespace {
			continue
		}
		v.Pods++
		owner, cause := b.Pod.Namespace+"/"+answer.OwnerOf(pod), "would go to "+printable.Text(b.Node)
		i, known := byOwner[owner]
		if !known {
			if len(v.Groups.Rows) == maxGroups {
				v.More++
				continue
			}
			i = len(v.Groups.Rows)
			byOwner[owner] = i
			v.Groups.Rows = append(v.Groups.Rows, views.PendingGroup{Owner: printable.Text(owner), Key: b.Pod.String(), Oldest: pod.CreationTimestamp.Time, Cause: cause})
		}
		g := &v.Groups.Rows[i]
		if g.Pods++; pod.CreationTimestamp.Time.Before(g.Oldest) {
			g.Oldest = pod.CreationTimestamp.Time
		}
		if g.Cause != cause && !strings.HasSuffix(g.Cause, andOthers) {
			g.Cause += andOthers
		}
	}
	slices.SortStableFunc(v.Groups.Rows, func(a, b views.PendingGroup) int { return cmp.Compare(b.Pods, a.Pods) })
}

const andOthers = " and other nodes"
