package memory

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// Extender is a simulated extender of the scheduler. It must not be changed.
type Extender struct {
	// Refuses are the nodes that do not pass its filter, for the reason, and on which no pod may be preempted; nil is none.
	// Unresolvable says that preemption does not help there.
	Refuses      func(*v1.Node) bool
	Reason       string
	Unresolvable bool
	// Prefers are the nodes that get the highest priority; the others get the lowest.
	Prefers func(*v1.Node) bool
	// Takes is how long it takes to answer.
	Takes Delay
	// Down refuses connections. Error, if not empty, is its answer to a filter and to a binding.
	Down  bool
	Error string
}

// SetExtender changes an extender from now on, also for the calls that it has not answered yet.
func (c *Cluster) SetExtender(address string, x Extender) {
	if c.extenders == nil {
		c.extenders = map[string]Extender{}
	}
	c.extenders[address] = x
}

// extenderAt returns the extender that a URL belongs to.
func (c *Cluster) extenderAt(url string) (Extender, bool) {
	if i := strings.LastIndex(url, "/"); i >= 0 {
		x, ok := c.extenders[url[:i]]
		return x, ok
	}
	return Extender{}, false
}

// callExtender lets an extender answer after its time. One that is not simulated gives no answer, and so does not decide.
func (c *Cluster) callExtender(at time.Time, id world.EffectID, act world.CallExtender) {
	x, simulated := c.extenderAt(act.URL)
	if !simulated {
		c.schedule(at, delivery{world.EffectDone{Effect: id}})
		return
	}
	takes := c.latency.delay(x.Takes)
	if act.Timeout > 0 && takes > act.Timeout {
		late := callFailed(act, "context deadline exceeded (Client.Timeout exceeded while awaiting headers)")
		c.schedule(at.Add(act.Timeout), extenderAnswer{id, act, &late})
		return
	}
	c.schedule(at.Add(takes), extenderAnswer{id, act, nil})
}

// extenderAnswer is an extender's answer in transit; outcome is that of a call that fails whatever the extender says.
type extenderAnswer struct {
	effect  world.EffectID
	act     world.CallExtender
	outcome *world.Outcome
}

func (a extenderAnswer) fire(c *Cluster) {
	outcome := a.outcome
	if outcome == nil {
		x, _ := c.extenderAt(a.act.URL)
		answered := c.answerOf(x, a.effect, a.act)
		outcome = &answered
	}
	c.schedule(c.now, delivery{world.EffectDone{Effect: a.effect, Outcome: *outcome}})
}

// cancelExtenderCalls ends the calls about a pod: their outcomes come at once.
func (c *Cluster) cancelExtenderCalls(at time.Time, pod world.PodRef) {
	var cancelled []extenderAnswer
	for i := range c.queue.Items {
		if a, ok := c.queue.Items[i].event.(extenderAnswer); ok && a.act.Pod == pod {
			cancelled = append(cancelled, a)
			c.queue.Items[i].event = cancelledAnswer{}
		}
	}
	for _, a := range cancelled {
		c.schedule(at, delivery{world.EffectDone{Effect: a.effect, Outcome: callFailed(a.act, "context canceled")}})
	}
}

// cancelledAnswer is an answer to a call that is no longer waited for.
type cancelledAnswer struct{}

func (cancelledAnswer) fire(*Cluster) {}

// callFailed is the outcome of a call without a response, in the words of Go's HTTP client.
func callFailed(act world.CallExtender, why string) world.Outcome {
	return world.Outcome{Code: fwk.Error, Message: fmt.Sprintf("Post %q: %s", act.URL, why)}
}

func (c *Cluster) answerOf(x Extender, id world.EffectID, act world.CallExtender) world.Outcome {
	if x.Down {
		return callFailed(act, "dial tcp: connect: connection refused")
	}
	answer := &world.ExtenderAnswer{}
	switch act.Verb {
	case world.ExtenderFilter:
		answer.Error = x.Error
		x.filter(&act.Request, answer)
	case world.ExtenderPrioritize:
		x.prioritize(&act.Request, answer)
	case world.ExtenderPreempt:
		x.preempt(c, &act.Request, answer)
	case world.ExtenderBind:
		if answer.Error = x.Error; answer.Error == "" {
			if err := c.bind(world.Bind{Pod: act.Pod, Node: act.Request.Node}, id); err != nil {
				answer.Error = err.Error()
			}
		}
	}
	return world.Outcome{Answer: answer}
}

func (x Extender) filter(r *world.ExtenderRequest, answer *world.ExtenderAnswer) {
	answer.AsObjects = !r.NamesOnly
	for _, node := range r.Nodes {
		if x.Refuses != nil && x.Refuses(node) {
			answer.Failed = append(answer.Failed, world.FailedNode{Node: node.Name, Reason: x.Reason, Unresolvable: x.Unresolvable})
		} else {
			answer.Nodes = append(answer.Nodes, node.Name)
		}
	}
}

func (x Extender) prioritize(r *world.ExtenderRequest, answer *world.ExtenderAnswer) {
	const highest = 10
	for _, node := range r.Nodes {
		score := world.HostScore{Host: node.Name}
		if x.Prefers != nil && x.Prefers(node) {
			score.Score = highest
		}
		answer.Scores = append(answer.Scores, score)
	}
}

// preempt leaves victims as they are, on nodes that it does not refuse.
func (x Extender) preempt(c *Cluster, r *world.ExtenderRequest, answer *world.ExtenderAnswer) {
	for _, on := range r.Victims {
		node, err := c.Get(world.Node, "", on.Node)
		if err != nil || x.Refuses != nil && x.Refuses(node.(*v1.Node)) {
			continue
		}
		kept := world.AnsweredVictims{Node: on.Node, PDBViolations: on.PDBViolations}
		for _, pod := range on.Pods {
			kept.Pods = append(kept.Pods, pod.UID)
		}
		answer.Victims = append(answer.Victims, kept)
	}
}
