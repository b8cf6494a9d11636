package codec

import (
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// actions has one of each action that an engine may still have to do or to be answered about. Its order is part of the format.
var actions = []world.Action{
	world.Bind{},
	world.PatchStatus{},
	world.Delete{},
	world.EmitEvent{},
	world.ClaimVolume{},
	world.SelectNode{},
	world.ReserveResourceClaim{},
	world.UnreserveResourceClaim{},
	world.DeallocateResourceClaim{},
	world.CreateResourceClaim{},
	world.DeleteResourceClaim{},
	world.CallExtender{},
	world.CancelExtenderCalls{},
}

// Action codes an action, or none.
func (c *Coder) Action(action *world.Action) {
	kind := kindOf(*action)
	if kind > len(actions) {
		c.Fail(fmt.Errorf("a %T cannot be written", *action))
		return
	}
	if Int(c, &kind); c.reading && (kind < 0 || kind > len(actions)) {
		c.Fail(fmt.Errorf("an action is of no known kind (%d)", kind))
		return
	}
	if kind == 0 {
		return
	}
	if !c.reading {
		c.fields(*action)
		return
	}
	*action = c.fields(actions[kind-1])
}

// kindOf numbers the actions from 1 on; 0 is none, and what is beyond the last cannot be written.
func kindOf(action world.Action) int {
	if action == nil {
		return 0
	}
	for i, one := range actions {
		if reflect.TypeOf(one) == reflect.TypeOf(action) {
			return i + 1
		}
	}
	return len(actions) + 1
}

// fields codes the fields of an action, and returns it with them.
func (c *Coder) fields(action world.Action) world.Action {
	switch a := action.(type) {
	case world.Bind:
		c.PodRef(&a.Pod)
		Text(c, &a.Node)
		return a
	case world.PatchStatus:
		c.PodRef(&a.Pod)
		Message(c, &a.Condition)
		Optional(c, &a.NominatedNode, func(node *string) { Text(c, node) })
		Message(c, &a.ExtendedResources)
		return a
	case world.Delete:
		c.PodRef(&a.Pod)
		return a
	case world.EmitEvent:
		c.event(&a)
		return a
	case world.CallExtender:
		c.extenderCall(&a)
		return a
	case world.CancelExtenderCalls:
		c.PodRef(&a.Pod)
		return a
	}
	return c.objectWrite(action)
}

// objectWrite codes the write of a volume or a claim.
func (c *Coder) objectWrite(action world.Action) world.Action {
	switch a := action.(type) {
	case world.ClaimVolume:
		c.PodRef(&a.Pod)
		Text(c, &a.Node)
		c.ObjectRef(&a.Volume)
		c.ObjectRef(&a.Claim)
		c.Bool(&a.ByController)
		return a
	case world.SelectNode:
		c.PodRef(&a.Pod)
		Text(c, &a.Node)
		c.ObjectRef(&a.Claim)
		return a
	case world.ReserveResourceClaim:
		c.PodRef(&a.Pod)
		Text(c, &a.Node)
		c.ObjectRef(&a.Claim)
		Message(c, &a.Allocation)
		Optional(c, &a.AllocatedAt, func(at *metav1.Time) { c.Time(&at.Time) })
		return a
	case world.UnreserveResourceClaim:
		c.PodRef(&a.Pod)
		c.ObjectRef(&a.Claim)
		return a
	case world.DeallocateResourceClaim:
		c.PodRef(&a.Pod)
		c.ObjectRef(&a.Claim)
		return a
	case world.CreateResourceClaim:
		c.PodRef(&a.Pod)
		Text(c, &a.Node)
		Object(c, &a.Claim)
		return a
	case world.DeleteResourceClaim:
		c.PodRef(&a.Pod)
		c.ObjectRef(&a.Claim)
		return a
	}
	return action
}

func (c *Coder) event(a *world.EmitEvent) {
	c.PodRef(&a.Regarding)
	Optional(c, &a.Related, c.PodRef)
	Text(c, &a.Type)
	Text(c, &a.Reason)
	Text(c, &a.Action)
	Text(c, &a.Note)
	Text(c, &a.Controller)
}

// extenderCall codes a call that binds a pod. All others are made in the middle of a scheduling cycle, where no state is written.
func (c *Coder) extenderCall(a *world.CallExtender) {
	if a.Verb != world.ExtenderBind && !c.reading {
		c.Fail(fmt.Errorf("a call of an extender to %s cannot be written", a.Verb))
		return
	}
	a.Verb = world.ExtenderBind
	c.PodRef(&a.Pod)
	c.Count(&a.Extender)
	Text(c, &a.URL)
	Int(c, &a.Timeout)
	Object(c, &a.Request.Pod)
	c.Bool(&a.Request.NamesOnly)
	Text(c, &a.Request.Node)
}
