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

// Do takes an effect over. It gets to the API server after the latency of a request, though never before an earlier
// effect on the same pod, and its outcome comes back as an input.
func (c *Cluster) Do(e world.Effect) {
	at := c.now
	if e.At.After(at) {
		at = e.At
	}
	way := c.options.Latency.Request
	if _, plugin := e.Act.(world.Run); plugin {
		way = c.options.Latency.Plugin
	}
	at = at.Add(c.latency.delay(way) + c.slowness())
	pod := regards(e.Act).UID
	if earlier := c.inflight[pod]; at.Before(earlier) {
		at = earlier
	}
	c.inflight[pod] = at
	c.schedule(at, arrival{e})
}

// Ask has somebody ask the scheduler to try these pods at once. It reaches the scheduler at once, too.
func (c *Cluster) Ask(activate ...types.NamespacedName) {
	c.schedule(c.now, delivery{world.Asked{Activate: activate}})
}

// regards is the pod an act is about.
func regards(a world.Act) world.Ref {
	switch a := a.(type) {
	case world.Bind:
		return a.Pod
	case world.PatchStatus:
		return a.Pod
	case world.Delete:
		return a.Pod
	case world.Announce:
		return a.Regarding
	case world.Run:
		return a.Pod
	}
	return world.Ref{}
}

// arrival is an effect that reaches whoever carries it out.
type arrival struct{ effect world.Effect }

func (a arrival) happen(c *Cluster) {
	pod := regards(a.effect.Act).UID
	if !c.inflight[pod].After(c.now) {
		delete(c.inflight, pod)
	}
	if announce, ok := a.effect.Act.(world.Announce); ok {
		if c.reachable() == nil {
			c.history.announce(c.now, announce)
		}
		return
	}
	outcome, late := c.perform(a.effect)
	at := c.now.Add(late)
	if _, plugin := a.effect.Act.(world.Run); !plugin {
		at = at.Add(c.latency.delay(c.options.Latency.Response))
	}
	if call := callOf(a.effect.Act); !outcome.OK() && at.Equal(c.now) && (call == CallPatchStatus || call == CallDelete) {
		at = at.Add(failureLeast)
	}
	c.schedule(at, delivery{world.Ended{Effect: a.effect.ID, Outcome: outcome}})
}

// failureLeast is how long a patch or a deletion takes that fails, in a cluster without latency too. After a preemption that
// did not succeed the scheduler tries again at once, and would otherwise do so for ever in one moment. Other failures have
// the pod back off.
const failureLeast = 10 * time.Millisecond

// carryOut does what an effect asks for.
func (c *Cluster) carryOut(e world.Effect) world.Outcome {
	switch act := e.Act.(type) {
	case world.Bind:
		return outcomeOf(c.bind(act, e.ID))
	case world.PatchStatus:
		return outcomeOf(c.patchStatus(act))
	case world.Delete:
		return outcomeOf(c.deleteVictim(act))
	case world.Run:
		if act.Call == nil {
			return world.Outcome{}
		}
		status := act.Call(context.Background())
		return world.Outcome{Code: status.Code(), Message: status.Message()}
	}
	return world.Outcome{}
}

func (c *Cluster) deleteVictim(act world.Delete) error {
	var o metav1.DeleteOptions
	if act.Pod.UID != "" {
		o.Preconditions = metav1.NewUIDPreconditions(string(act.Pod.UID))
	}
	return c.Delete(world.Pod, act.Pod.Namespace, act.Pod.Name, o)
}

// outcomeOf is how a call to the API server ended.
func outcomeOf(err error) world.Outcome {
	if err == nil {
		return world.Outcome{}
	}
	return world.Outcome{Code: fwk.Error, Reason: apierrors.ReasonForError(err), Message: err.Error()}
}
