package diagnose

import (
	"fmt"
	"slices"
	"time"

	"orrery/core/engine"
	"orrery/core/framework"
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
	var waits []string
	links := p.claimLinks()
	for i := range links {
		l := &links[i]
		awaited := slices.Contains(b.Objects, framework.ObjectKey{Kind: world.PersistentVolumeClaim, Namespace: p.pod.Namespace, Name: l.Claim})
		if !awaited || l.State == ClaimBound {
			continue
		}
		text := "claim " + l.Claim
		if l.WaitsFor != "" {
			text += " (" + l.WaitsFor + ")"
		} else {
			text += " (the PersistentVolume controller)"
		}
		waits = append(waits, text)
	}
	text := "placed on " + b.Node + ", waiting for "
	if len(waits) == 0 {
		text += counted(len(b.Objects), "object")
	} else {
		text += listed(waits)
	}
	return text + fmt.Sprintf(" for %s; gives up at %s", p.engine.Now().Sub(b.Since).Round(time.Second), b.Deadline.Sub(b.Since).Round(time.Second))
}
