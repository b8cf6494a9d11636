package diagnose

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/spelling"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/world"
)

// describeMissing says who makes a claim that does not exist.
func (p *pendingPod) describeMissing(l *ClaimLink) {
	l.State, l.Says = ClaimMissing, "does not exist"
	owner := metav1.GetControllerOfNoCopy(p.pod)
	switch {
	case l.Ephemeral:
		l.WaitsFor = "the ephemeral volume controller"
	case owner != nil && world.Kind(owner.Kind) == world.StatefulSet && strings.HasSuffix(l.Claim, "-"+p.pod.Name):
		l.WaitsFor = "the StatefulSet controller"
	default:
		var others []string
		for o := range p.engine.Store().Objects(world.PersistentVolumeClaim) {
			if o.GetNamespace() == p.pod.Namespace {
				others = append(others, o.GetName())
			}
		}
		if near := spelling.Nearest(l.Claim, others, maxListed); len(near) > 0 {
			l.Says += " in namespace " + p.pod.Namespace + "; there is " + strings.Join(near, ", ")
		} else {
			l.Says += " in namespace " + p.pod.Namespace
		}
		return
	}
	l.since(p.pod.CreationTimestamp)
}

func (l *ClaimLink) since(t metav1.Time) {
	if !t.IsZero() {
		at := t.UTC()
		l.Since = &at
	}
}

// usersOf are the pods on nodes that use a claim of the pod's namespace: "shop/web on n1".
func (p *pendingPod) usersOf(l *ClaimLink) []string {
	var users []string
	for _, pod := range p.holdersOf(l.Claim) {
		users = append(users, fullName(pod)+" on "+pod.Spec.NodeName)
	}
	return users
}

// holdersOf are the other pods on nodes that name a claim of the pod's namespace, by name.
func (p *pendingPod) holdersOf(claim string) []*v1.Pod {
	var holders []*v1.Pod
	for _, info := range p.nodes {
		for _, other := range info.GetPods() {
			pod := other.GetPod()
			if pod.Namespace != p.pod.Namespace || pod.UID == p.pod.UID {
				continue
			}
			for name := range podvolumes.Claims(pod) {
				if name == claim {
					holders = append(holders, pod)
					break
				}
			}
		}
	}
	slices.SortFunc(holders, func(a, b *v1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return holders
}

func (p *pendingPod) nearestText(l *ClaimLink) string {
	misses := p.nearMisses(l, nil)
	if len(misses) == 0 {
		return ""
	}
	return " (nearest: " + missesText(misses) + ")"
}

// text is the sentence of a claim: what it is, whom it waits for, and since when.
func (l *ClaimLink) text() string { return "claim " + l.Claim + " " + l.says() }

// described is text with what the claim requests.
func (l *ClaimLink) described() string {
	if l.object == nil {
		return l.text()
	}
	return "claim " + l.Claim + " (" + l.asks() + ") " + l.says()
}

func (l *ClaimLink) says() string {
	switch {
	case l.WaitsFor != "" && l.Since != nil:
		return l.Says + ";" + sinceText(*l.Since) + " it waits for " + l.WaitsFor
	case l.WaitsFor != "":
		return l.Says + "; it waits for " + l.WaitsFor
	case l.Since != nil:
		return l.Says + sinceText(*l.Since)
	}
	return l.Says
}

// troubled are the claims for which no node is feasible.
func troubled(links []ClaimLink) []*ClaimLink {
	var list []*ClaimLink
	for i := range links {
		switch links[i].State {
		case ClaimMissing, ClaimLost, ClaimTerminating, ClaimForeign, ClaimUnbound, ClaimVolumeMissing:
			list = append(list, &links[i])
		}
	}
	return list
}

// boundText says where the claims' volumes are, those that do not reach every node first.
func boundText(links []ClaimLink) string {
	var texts []string
	for i := range links {
		switch l := &links[i]; {
		case l.State == ClaimVolumeMissing:
			texts = append(texts, "claim "+l.Claim+" "+l.Says)
		case l.PersistentVolume != nil && l.PersistentVolume.Place != "":
			texts = append(texts, "claim "+l.Claim+" "+l.Says)
		}
	}
	return strings.Join(texts[:min(len(texts), maxListed)], ", ")
}

// openText names the claims that get their volumes with the pod.
func openText(links []ClaimLink) string {
	var names []string
	for i := range links {
		if s := links[i].State; s == ClaimDelayed || s == ClaimProvisioning {
			names = append(names, links[i].Claim)
		}
	}
	if len(names) == 1 {
		return "claim " + names[0]
	}
	return "each of the claims " + listed(names)
}

// ClaimTrouble is the claims for which no node is feasible.
type ClaimTrouble struct {
	Claims []*ClaimLink `json:"claims"`
}

func (p *pendingPod) claimTrouble() Evidence { return &ClaimTrouble{troubled(p.claimLinks())} }

// Facts implements Evidence.
func (c *ClaimTrouble) Facts() []string {
	var facts []string
	for _, l := range c.Claims {
		facts = append(facts, l.text())
	}
	return facts
}

// Hint implements Evidence.
func (c *ClaimTrouble) Hint() string { return "" }
