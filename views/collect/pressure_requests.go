package collect

import (
	"cmp"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/evict/pressure"
	"orrery/core/safe/printable"
	"orrery/views"
)

// Without usage one thing is known of the order of eviction by memory: a pod that requests none exceeds its request with any
// use, so it goes before all pods that stay within theirs, and among its like the lowest priority goes first.

// compareByRequests orders pods by what is known of them without usage: those that certainly exceed their request, then the
// lower priority, then by name. Pods that the kubelet skips are last.
func compareByRequests(by pressure.Signal, a, b *pressure.RankedPod) int {
	return cmp.Or(
		before(a.Exempt == "", b.Exempt == ""),
		before(requestsNothing(by, a.Pod), requestsNothing(by, b.Pod)),
		cmp.Compare(a.Priority, b.Priority),
		cmp.Compare(a.Pod.Namespace, b.Pod.Namespace), cmp.Compare(a.Pod.Name, b.Pod.Name),
	)
}

// before orders what is true before what is not.
func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func requestsNothing(by pressure.Signal, pod *v1.Pod) bool {
	request := (*requestsOf(pod))[by.Resource()]
	return by.Resource() == v1.ResourceMemory && request.IsZero()
}

// nextByRequests returns which pod of a node is evicted next under memory pressure and why, as far as requests and priorities
// tell; empty if no pod requests nothing.
func nextByRequests(by pressure.Signal, info fwk.NodeInfo) string {
	var next *pressure.RankedPod
	for _, p := range info.GetPods() {
		pod := p.GetPod()
		r := pressure.RankedPod{Pod: pod, Priority: priorityOf(pod), Exempt: pressure.ExemptReason(pod)}
		if r.Exempt == "" && requestsNothing(by, pod) && (next == nil || compareByRequests(by, &r, next) < 0) {
			next = &r
		}
	}
	if next == nil {
		return ""
	}
	priority := strconv.Itoa(int(next.Priority))
	return nextEvicted + printable.Text(next.Pod.Namespace+"/"+next.Pod.Name) + ": it requests no memory, so that any use exceeds its request; only a pod of priority " +
		priority + " or lower that exceeds its own could go before"
}

// nextEvicted begins what is said of the pod that is evicted next.
const nextEvicted = "next: "

// nextByUsage returns which of the pods in the order of eviction is evicted next and why; empty if none can be. While nothing is
// short, that depends on what will be.
func nextByUsage(by pressure.Signal, ranked []views.PressurePod, short bool) string {
	at := slices.IndexFunc(ranked, func(p views.PressurePod) bool { return p.Rank > 0 && p.ExcludedBecause == "" })
	if at < 0 {
		return ""
	}
	p, when := &ranked[at], nextEvicted
	if !short {
		when = "next, should " + string(by) + " fall below its threshold: "
	}
	priority := strconv.Itoa(int(p.Priority))
	switch {
	case !p.Measured:
		return when + p.Name + ": what it uses is not known, and such pods go first"
	case by == pressure.PIDAvailable:
		return when + p.Name + ": none has a lower priority than " + priority + ", and of those with it none has more processes"
	case p.Exceeds && p.Request == "·":
		return when + p.Name + ": it uses " + p.Usage + ", and none of a lower priority than " + priority + " uses any"
	case p.Exceeds:
		return when + p.Name + ": it uses " + p.Usage + " and requests " + p.Request + ", and none of a lower priority than " + priority + " exceeds its request"
	}
	return when + p.Name + ": no pod exceeds its request, and none has a lower priority than " + priority
}

// becauseRequests returns what a pod's rank depends on while its usage is not known.
func becauseRequests(by pressure.Signal, s *pressure.RankedPod, p *views.PressurePod) string {
	switch {
	case s.Exempt != "" || by.Resource() != v1.ResourceMemory:
		return ""
	case requestsNothing(by, s.Pod):
		return "requests none"
	}
	return "only above " + p.Request
}
