package memory

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// Do accepts an effect. It reaches the API server after the request latency, but never before an earlier effect on the
// same pod, and its outcome returns as an input.
func (c *Cluster) Do(e world.Effect) {
	at := c.now
	if e.At.After(at) {
		at = e.At
	}
	switch act := e.Action.(type) {
	case world.CallExtender:
		c.callExtender(at, e.ID, act)
		return
	case world.CancelExtenderCalls:
		c.cancelExtenderCalls(at, act.Pod)
		return
	}
	way := c.options.Latency.Request
	if _, plugin := e.Action.(world.RunPlugin); plugin {
		way = c.options.Latency.Plugin
	}
	at = at.Add(c.latency.delay(way) + c.extraDelay())
	pod := world.PodOf(e.Action).UID
	if earlier := c.inflight[pod]; at.Before(earlier) {
		at = earlier
	}
	c.inflight[pod] = at
	c.schedule(at, effectArrival{e})
}

// RequestActivation sends the scheduler a world.ActivateRequest for these pods, without latency.
func (c *Cluster) RequestActivation(activate ...types.NamespacedName) {
	c.schedule(c.now, delivery{world.ActivateRequest{Activate: activate}})
}

// effectArrival is an effect reaching the API server.
type effectArrival struct{ effect world.Effect }

func (a effectArrival) fire(c *Cluster) {
	pod := world.PodOf(a.effect.Action).UID
	if !c.inflight[pod].After(c.now) {
		delete(c.inflight, pod)
	}
	if cut := c.options.CutOff; cut != nil && cut(a.effect.ID) {
		return
	}
	if announce, ok := a.effect.Action.(world.EmitEvent); ok {
		if c.reachable() == nil {
			c.history.recordEvent(c.now, announce)
		}
		return
	}
	outcome, late := c.performWithFaults(a.effect)
	at := c.now.Add(late)
	if _, plugin := a.effect.Action.(world.RunPlugin); !plugin {
		at = at.Add(c.latency.delay(c.options.Latency.Response))
	}
	if call := callOf(a.effect.Action); !outcome.OK() && at.Equal(c.now) && (call == CallPatchStatus || call == CallDelete) {
		at = at.Add(minFailureDelay)
	}
	c.schedule(at, delivery{world.EffectDone{Effect: a.effect.ID, Outcome: outcome}})
}

// minFailureDelay is the least duration of a failing patch or deletion, even in a cluster without latency. After a
// failed preemption the scheduler retries at once, and would otherwise loop forever without advancing time. After other
// failures the pod backs off.
const minFailureDelay = 10 * time.Millisecond

// perform carries out an effect.
func (c *Cluster) perform(e world.Effect) world.Outcome {
	switch act := e.Action.(type) {
	case world.Bind:
		return outcomeOf(c.bind(act, e.ID))
	case world.PatchStatus:
		return outcomeOf(c.patchStatus(act))
	case world.Delete:
		return outcomeOf(c.deleteVictim(act))
	case world.ClaimVolume:
		return outcomeOf(c.claimVolume(act))
	case world.SelectNode:
		return outcomeOf(c.selectNode(act))
	case world.SetRuleCondition:
		return outcomeOf(c.setRuleCondition(act))
	case world.ReserveResourceClaim:
		return versionedOutcome(c.reserveResourceClaim(act))
	case world.UnreserveResourceClaim:
		return versionedOutcome(c.unreserveResourceClaim(act))
	case world.RunPlugin:
		if act.Call == nil {
			return world.Outcome{}
		}
		status := act.Call(context.Background())
		return world.Outcome{Code: status.Code(), Message: status.Message()}
	}
	return outcomeOf(c.writeResourceClaim(e.Action))
}

func (c *Cluster) deleteVictim(act world.Delete) error {
	var o metav1.DeleteOptions
	if act.Pod.UID != "" {
		o.Preconditions = metav1.NewUIDPreconditions(string(act.Pod.UID))
	}
	return c.Delete(world.Pod, act.Pod.Namespace, act.Pod.Name, o)
}

func versionedOutcome(version string, err error) world.Outcome {
	outcome := outcomeOf(err)
	outcome.Version = version
	return outcome
}

// outcomeOf converts the result of an API call.
func outcomeOf(err error) world.Outcome {
	if err == nil {
		return world.Outcome{}
	}
	return world.Outcome{Code: fwk.Error, Reason: apierrors.ReasonForError(err), Message: err.Error()}
}
