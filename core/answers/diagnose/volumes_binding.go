package diagnose

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// binding says what a placed pod's binding waits for: "placed on n1, waiting for claim data (provisioner
// csi.example.com) for 12s; gives up at 10m0s". It is empty unless a plugin waits for objects.
func (p *pendingPod) binding() string {
	all := p.engine.Bindings()
	at := slices.IndexFunc(all, func(b engine.BindingInFlight) bool { return b.Pod.UID == p.pod.UID })
	if at < 0 || len(all[at].Objects) == 0 {
		return ""
	}
	b := &all[at]
	return fmt.Sprintf("placed on %s, waiting for %s for %s; gives up at %s", b.Node, Awaited(p.engine, p.pod, b.Objects),
		p.engine.Now().Sub(b.Since).Round(time.Second), b.Deadline.Sub(b.Since).Round(time.Second))
}

// Awaited names what a pod's binding waits for: the claims with who has to act, "claim data (provisioner csi.example.com)",
// or the number of objects if no claim is among them.
func Awaited(e *engine.Engine, pod *v1.Pod, objects []framework.ObjectKey) string {
	var waits []string
	for i := range pod.Spec.Volumes {
		name, is := world.ClaimOf(pod, &pod.Spec.Volumes[i])
		if !is || !slices.Contains(objects, framework.ObjectKey{Kind: world.PersistentVolumeClaim, Namespace: pod.Namespace, Name: name}) {
			continue
		}
		if who := awaitedOf(e, pod.Namespace, name); who != "" {
			waits = append(waits, "claim "+name+" ("+who+")")
		}
	}
	if len(waits) == 0 {
		return plural.Count(len(objects), "object")
	}
	return listed(waits)
}

// awaitedOf says who has to act on a claim; empty if it is bound.
func awaitedOf(e *engine.Engine, namespace, name string) string {
	const controller = "the PersistentVolume controller"
	claim := e.Volumes().Claim(namespace, name)
	if claim == nil {
		return controller
	}
	r := volumes.ClaimReader{State: e.Volumes()}
	l := r.Of(claim)
	switch {
	case l.State == volumes.ClaimBound:
		return ""
	case l.WaitsFor == "":
		return controller
	}
	return l.WaitsFor
}
