package main

import "orrery/core/testing/planted"

// unseen is a mistake by which the snapshot does not show that a node differs in something.
func unseen(name, differs string) planted.Mistake {
	const from = "\tinfo.copyTo(&at.info)\n\ts.amounts[at.number] = info.amounts()\n\tif kind == Updated {\n"
	return planted.Mistake{
		Name: name, File: "scheduler/cache/refresh.go", From: from,
		To: "\tbefore := at.info\n\tinfo.copyTo(&at.info)\n\ts.amounts[at.number] = info.amounts()\n\tif kind == Updated && !(" + differs + ") {\n",
	}
}

// mistakes are in the scheduler, the election, the recorder and the simulated cluster. Files are below core.
var mistakes = []planted.Mistake{
	{Name: "a leader leads on for a minute after its deadline", File: "process/leader/term.go", From: "\t\tc.deadline, c.deadlineLead = trusted, c.attempt.wallLead\n", To: "\t\tc.deadline, c.deadlineLead = trusted.Add(time.Minute), c.attempt.wallLead\n"},
	{Name: "a leader that was suspended leads on", File: "process/leader/candidate.go", From: "c.phase == renewing && due(", To: "c.phase == done && due("},
	{Name: "a lease never expires", File: "process/leader/candidate.go", From: "return c.observedAt.Add(duration).After(now)", To: "return c.observedAt.Add(1000 * duration).After(now)"},
	{Name: "a pod that is on a node is requeued", File: "scheduler/engine/failure.go", From: " || assigned(current):", To: ":"},
	{Name: "a pod that changes during its attempt is not requeued", File: "scheduler/engine/failure.go", From: "case current.UID != pod.UID:", To: "case current.UID != pod.UID || current.ResourceVersion != pod.ResourceVersion:"},
	{Name: "a failed effect is forgotten", File: "scheduler/engine/apply.go", From: "if b := e.bindings[uid]; b != nil && b.waitsFor(ev.Effect) {", To: "if b := e.bindings[uid]; b != nil && b.waitsFor(ev.Effect) && ev.Outcome.OK() {"},
	{Name: "a decision counts as placed", File: "scheduler/engine/decision.go", From: "e.counters.Decisions[a.decision.Verdict]++", To: "e.counters.Decisions[Placed]++"},
	{Name: "an assumed pod is added again", File: "scheduler/cache/podstate.go", From: "!assumed {\n\t\t\treturn fmt.Errorf(\"pod %s was already in added state\"", To: "assumed {\n\t\t\treturn fmt.Errorf(\"pod %s was already in added state\""},
	{Name: "a shortage of several resources is none", File: "scheduler/plugins/noderesources/shortage.go", From: "\tcase found&scalarIsShort == 0:\n", To: "\tcase found&scalarIsShort == 0 && found != 0:\n\t\treturn nil\n\tcase found&scalarIsShort == 0:\n"},
	unseen("labels of a node are not seen to change", `before.node.Labels["disk"] != info.node.Labels["disk"]`),
	unseen("taints of a node are not seen to change", `len(before.node.Spec.Taints) != len(info.node.Spec.Taints)`),
	unseen("what a node has is not seen to change", `before.allocatable.MilliCPU != info.allocatable.MilliCPU`),
	{Name: "the count of a domain is not refreshed", File: "scheduler/plugins/topology/domaincounts.go", From: "range changed {", To: "range changed[1:] {"},
	{Name: "an assumed volume is free", File: "scheduler/volumes/state.go", From: "{ return s.volumes.assume(volume) }", To: "{ return nil }"},
	{Name: "a device in flight is free", File: "scheduler/devices/claims.go", From: "\ts.replaceTaken(s.inFlight[uid], claim)\n", To: ""},
	{Name: "an eviction is not charged to its budget", File: "evict/budget/evaluate.go", From: "\tcharged.Status.DisruptionsAllowed--\n", To: ""},
	{Name: "the lowest priority comes first", File: "scheduler/queue/queue.go", From: "return a.priority > b.priority", To: "return a.priority < b.priority"},
	{Name: "no pod backs off", File: "scheduler/queue/attempt.go", From: "\tp.backoffExpiration = q.backoffExpirationOf(p)\n", To: ""},
	{Name: "a failed pod stays in flight", File: "scheduler/queue/attempt.go", From: "ok && p.inFlightUID != \"\" {", To: "ok && p.inFlightUID == \"\" {"},
	{Name: "a deleted pod stays nominated", File: "scheduler/queue/enqueue.go", From: "\tq.deleteNomination(pod)\n\tp := q.pods[keyOf(pod)]\n", To: "\tp := q.pods[keyOf(pod)]\n"},
	{Name: "a list deletes nothing", File: "scheduler/store/replace.go", From: "deltas := sh.removeUnlisted(listed)", To: "var deltas []Delta"},
	{Name: "a deleted pod frees no resources for others", File: "scheduler/plugins/noderesources/events.go", From: "ActionType: fwk.Delete | fwk.UpdatePodScaleDown", To: "ActionType: fwk.UpdatePodScaleDown"},
	{Name: "a new node helps no pod", File: "scheduler/plugins/noderesources/events.go", From: "ActionType: fwk.Add | fwk.UpdateNodeAllocatable", To: "ActionType: fwk.UpdateNodeAllocatable"},
	{Name: "no pod is moved after five minutes", File: "scheduler/queue/timers.go", From: "if p := q.oldestLeftover(); p != nil {", To: "if p := q.oldestLeftover(); p != nil && p.gate != \"\" {"},
	{Name: "the random source is not restored", File: "scheduler/engine/codec.go", From: "if codec.Text(c, &source); c.Reading() && c.OK() {", To: "if codec.Text(c, &source); c.Reading() && !c.OK() {"},
	{Name: "a checkpoint is written in the middle of a cycle", File: "trace/play/recorder.go", From: " || !r.engine.Settled() {", To: " {"},
	{Name: "a reader misses ticks", File: "trace/play/feed.go", From: "\tif len(f.subscribers) > 0 {\n\t\tbody := trace.Input", To: "\tif _, tick := in.Event.(world.Tick); len(f.subscribers) > 0 && !tick {\n\t\tbody := trace.Input"},
	{Name: "a pod that another scheduler has bound stays queued", File: "scheduler/engine/pods.go", From: "\t\t\te.queue.RemoveAssigned(was, is.Spec.NodeName, e.now)\n", To: ""},
	{Name: "a pod whose attempt failed with an error does not back off", File: "scheduler/queue/backoff.go", From: "\t\tcount = p.consecutiveErrors\n", To: "\t\treturn -1\n"},
	{Name: "a gated pod counts as gone", File: "scheduler/engine/view.go", From: "\tcase queue.Gated:\n\t\treturn StateGated\n", To: ""},
	{Name: "events that no pod in flight needs are kept", File: "scheduler/queue/in_flight_events.go", From: "\tclear(passed)\n\tq.inFlightEvents.shrink()\n", To: ""},
	{Name: "how many bindings failed is not restored", File: "scheduler/engine/codec.go", From: "\t\tcodec.Uint(c, count)\n\t}\n\tfor i := range", To: "\t\tif codec.Uint(c, count); c.Reading() && count == &e.counters.BindingsFailed {\n\t\t\t*count = 0\n\t\t}\n\t}\n\tfor i := range"},
	{Name: "the nominated pods on a node do not end a kept verdict", File: "scheduler/engine/nominatedplaces.go", From: "if place, ok := s.PlaceOf(name); ok {", To: "if place, ok := s.PlaceOf(name); ok && place.Position == 0 {"},
	{Name: "the least of all domains is not found again", File: "scheduler/plugins/topology/domainsums.go", From: "p.extremes, p.dirty = p.findExtremes(int32(i*pieceSize)), false", To: "if p.dirty = false; p.extremes.Domains == 0 {\n\t\t\tp.extremes = p.findExtremes(int32(i * pieceSize))\n\t\t}"},
	{Name: "a node that comes to the end keeps its old number", File: "scheduler/cache/order.go", From: "\t\ts.moved = append(s.moved, int32(n))\n\t\tn++\n", To: "\t\tif n < len(s.order)-1 {\n\t\t\ts.moved = append(s.moved, int32(n))\n\t\t}\n\t\tn++\n"},
}
