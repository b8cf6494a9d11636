package collect

import (
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/workloads"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/plugins/gangscheduling"
	"orrery/core/world"
	"orrery/views"
)

// model returns the counts of groups and of their pods.
func (x *gangIndex) model() *views.Gangs {
	v := &views.Gangs{Reading: x.reading(), Pods: x.counts, PodGroups: x.engine.Store().Len(world.PodGroup) > 0}
	v.GateOff = !v.PodGroups && !x.engine.Features().Enabled(config.GangScheduling)
	x.order.counts(v.Count[:])
	return v
}

// health finds the gangs that gave their places back, and those that hold places while other pods of theirs find none.
func (x *gangIndex) health(h *views.Health) {
	h.Reading = h.Reading || x.reading()
	for _, g := range x.order.list {
		switch state := views.GangState(g.state); {
		case state > views.GangOnPermit:
			return
		case state == views.GangTimedOut:
			if h.TimedOutGangs++; h.TimedOutGangs == 1 {
				h.OneTimedOut = printable.Text(g.key.FullName())
			}
		case state == views.GangOnPermit && g.count[views.GangPodRejected] > 0:
			if h.HoldingGangs++; h.HoldingGangs == 1 {
				h.OneHolding, h.HoldsUntil = printable.Text(g.key.FullName()), g.deadline
			}
		}
	}
}

// Gangs are all pod groups that pods name, and those that workloads have.
func (s source) Gangs() views.Rows[views.GangRow] {
	x := &s.gangs
	return views.Rows[views.GangRow]{
		Stamp: x.stamp, Total: len(x.order.list),
		Window: func(first, n int) []views.GangRow { return rowsOf(x.order.list[first:first+n], x.row) },
		Lazy:   lazyRows(&x.order, x.row, x.briefRow),
	}
}

// briefRow has what filters and orders need.
func (x *gangIndex) briefRow(g *gang) views.GangRow {
	row := views.GangRow{
		Key: g.key.FullName(), Scope: scopeOfGang(g.key), State: views.GangState(g.state), Count: g.count, Least: g.least,
		Deadline: g.deadline, Priority: g.priority, Created: g.created,
	}
	if g.workload != nil {
		row.Labels = g.workload.Labels
	}
	if g.held != nil {
		row.PodKey = world.PodRefOf(g.held).String()
	}
	if g.key.IsPodGroup() {
		row.WithPodGroup = true
		row.Path = x.pathOf(g)
		if g.object != nil {
			row.Labels = g.object.Labels
		}
	}
	return row
}

// scopeOfGang is a group's name as filters find it.
func scopeOfGang(key gangs.Key) string { return printable.Text(key.FullName()) }

func (x *gangIndex) row(g *gang) views.GangRow {
	row := x.briefRow(g)
	row.Name, row.WorkloadKey = row.Scope, g.key.Namespace+"/"+g.key.Workload
	if g.key.IsPodGroup() {
		row.WorkloadKey = string(world.PodGroup) + " " + g.key.FullName()
	}
	if !g.deadline.IsZero() {
		row.Timeout = gangs.Timeout
	}
	if g.held != nil {
		row.Pod, row.PodKey = podNames(world.PodRefOf(g.held))
	}
	row.Note = printable.Text(g.note())
	if g.key.IsPodGroup() {
		x.describePodGroup(g, &row)
	}
	if g.isHeldBack() {
		row.Reason = printable.Text(x.reason(g))
	}
	return row
}

// isHeldBack reports whether a pod of the gang has no node for a reason of its own.
func (g *gang) isHeldBack() bool {
	switch views.GangState(g.state) {
	case views.GangTimedOut, views.GangOnPermit, views.GangUnschedulable, views.GangPartlyBound:
		return g.count[views.GangPodRejected]+g.count[views.GangPodQueued] > 0
	case views.GangGated:
		return true
	}
	return false
}

// reason is why the pod that keeps the gang back has no node, in the scheduler's words.
func (x *gangIndex) reason(g *gang) string {
	if message := world.PendingMessage(g.held); message != "" {
		return framework.MainOf(message).String()
	}
	if queued, is := x.engine.Queue().Get(g.held.Namespace, g.held.Name); is {
		return strings.Join(queued.Rejectors(), ", ")
	}
	return ""
}

// note returns in few words what a gang waits for.
func (g *gang) note() string {
	pods := func(stage views.GangStage) string {
		if n := g.count[stage]; n != 1 {
			return strconv.Itoa(n) + " pods"
		}
		return "1 pod"
	}
	switch state := views.GangState(g.state); {
	case state == views.GangWithoutWorkload && g.key.IsPodGroup():
		return "PodGroup " + g.key.Group + ", which does not exist, or is not read"
	case state == views.GangWithoutWorkload && g.workload == nil:
		return "workload " + g.key.Workload + ", which does not exist"
	case state == views.GangWithoutWorkload:
		return "group " + g.key.Group + ", which its workload does not have"
	case state == views.GangEmpty:
		return "its pods"
	case state == views.GangBasic, state == views.GangBound:
		return ""
	case state == views.GangPlaced:
		return "the binding of " + pods(views.GangPodPlaced)
	case g.count[views.GangPodMissing] == 1:
		return "1 more pod"
	case g.count[views.GangPodMissing] > 0:
		return strconv.Itoa(g.count[views.GangPodMissing]) + " more pods"
	case g.count[views.GangPodRejected] > 0:
		return "room for " + pods(views.GangPodRejected)
	case g.count[views.GangPodGated] > 0:
		return "the gates of " + pods(views.GangPodGated)
	}
	return "the turn of " + pods(views.GangPodQueued)
}

// permitOfGang returns for which pods of its gang a pod on permit waits, and until when; empty if it waits for something else.
func permitOfGang(e *engine.Engine, pod *v1.Pod, waiting []string) (what string, until time.Time) {
	if pod == nil || !workloads.IsMember(pod) || !slices.Contains(waiting, gangscheduling.Name) {
		return "", time.Time{}
	}
	key := gangs.KeyOf(pod)
	group := e.Gangs().Group(key)
	workload, is := e.Store().Object(world.Workload, key.Namespace, key.Workload).(*workloads.Workload)
	if group == nil || !is {
		return "", time.Time{}
	}
	policy := gangs.PolicyOf(workload, key.Group)
	if policy == nil || policy.Gang == nil {
		return "", time.Time{}
	}
	lacks := int(policy.Gang.MinCount) - group.Count(gangs.Assumed) - group.Count(gangs.Assigned)
	return strconv.Itoa(lacks) + " more of gang " + key.String(), group.Deadline()
}
