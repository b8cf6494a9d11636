package diagnose

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/plugins/podvolumes"
	"orrery/core/plugins/volumebinding"
	"orrery/core/spelling"
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

// describeClaim says what a claim is, and whom it waits for. The order of the cases is that of the plugin's checks.
func (p *pendingPod) describeClaim(l *ClaimLink) {
	c := l.object
	node, selected := c.Annotations[volume.AnnSelectedNode]
	switch {
	case c.Status.Phase == v1.ClaimLost:
		l.State, l.Says = ClaimLost, fmt.Sprintf("was bound to %s, which no longer exists; its data may be gone", c.Spec.VolumeName)
	case c.DeletionTimestamp != nil:
		p.describeTerminating(l)
	case l.Ephemeral && ephemeral.VolumeIsForPod(p.pod, c) != nil:
		l.State, l.Says = ClaimForeign, "was not made for this pod: another object has the name of its ephemeral volume's claim"
	case volumebinding.IsBound(c) && p.engine.Volumes().Volume(c.Spec.VolumeName) == nil:
		l.State, l.Says = ClaimVolumeMissing, "is bound to "+c.Spec.VolumeName+", which does not exist"
	case volumebinding.IsBound(c):
		l.State, l.Says = ClaimBound, "is bound to "+c.Spec.VolumeName
	case !l.delayed():
		p.describeUnbound(l)
	case selected:
		l.State, l.Says, l.WaitsFor = ClaimProvisioning, "gets a volume made for "+node, provisionerText(l)
		if p.engine.Store().Node(node) == nil {
			l.Says += ", a node that does not exist"
		}
		l.since(c.CreationTimestamp)
	default:
		l.State, l.Says = ClaimDelayed, "gets its volume when its pod has a node"
	}
}

// delayed reports whether the claim waits for its pod. A claim that names a volume is bound by the controller, whatever
// its class.
func (l *ClaimLink) delayed() bool {
	return l.object.Spec.VolumeName == "" && l.class != nil && l.class.VolumeBindingMode != nil &&
		*l.class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

func (p *pendingPod) describeTerminating(l *ClaimLink) {
	l.State, l.Says = ClaimTerminating, "is being deleted"
	l.since(*l.object.DeletionTimestamp)
	users := p.usersOf(l.Claim)
	if len(users) > 0 && slices.Contains(l.object.Finalizers, "kubernetes.io/pvc-protection") {
		l.WaitsFor = "the pods that use it to end: " + listed(users)
	} else if len(l.object.Finalizers) > 0 {
		l.WaitsFor = "its finalizers: " + listed(l.object.Finalizers)
	}
}

// usersOf are the pods on nodes that use a claim of the pod's namespace: "shop/web on n1".
func (p *pendingPod) usersOf(claim string) []string {
	var users []string
	for _, pod := range p.holdersOf(claim) {
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

// describeUnbound says who binds a claim that does not wait for its pod.
func (p *pendingPod) describeUnbound(l *ClaimLink) {
	l.State, l.Says = ClaimUnbound, "is not bound"
	l.since(l.object.CreationTimestamp)
	pv := p.engine.Volumes().Volume(l.object.Spec.VolumeName)
	switch {
	case l.object.Spec.VolumeName != "" && pv == nil:
		l.Says += ": it names " + l.object.Spec.VolumeName + ", which does not exist"
		l.WaitsFor = "that PersistentVolume"
	case l.object.Spec.VolumeName != "" && pv.Spec.ClaimRef != nil && !volume.IsVolumeBoundToClaim(pv, l.object):
		l.Says += ": it names " + pv.Name + ", which belongs to claim " + pv.Spec.ClaimRef.Namespace + "/" + pv.Spec.ClaimRef.Name
		l.WaitsFor = "another PersistentVolume"
	case l.object.Spec.VolumeName != "":
		l.Says += " to " + pv.Name + " yet"
		l.WaitsFor = "the PersistentVolume controller"
	case l.Class == nil:
		l.Says += " and has no class"
		l.WaitsFor = "a PersistentVolume without a class, or a default class" + p.nearestText(l)
	case l.class == nil:
		l.Says += ": class " + l.Class.Name + " does not exist" + p.nearClasses(l.Class.Name)
		l.WaitsFor = "the class, or a PersistentVolume of it" + p.nearestText(l)
	case !volumebinding.Provisions(l.class):
		l.Says += ": class " + l.Class.Name + " has no provisioner"
		l.WaitsFor = "a PersistentVolume of that class" + p.nearestText(l)
	default:
		l.WaitsFor = provisionerText(l)
	}
}

func (p *pendingPod) nearClasses(name string) string {
	var all []string
	for o := range p.engine.Store().Objects(world.StorageClass) {
		all = append(all, o.GetName())
	}
	near := spelling.Nearest(name, all, maxListed)
	if len(near) == 0 {
		return ""
	}
	return " (there is " + strings.Join(near, ", ") + ")"
}

func (p *pendingPod) nearestText(l *ClaimLink) string {
	misses := p.nearMisses(l, nil)
	if len(misses) == 0 {
		return ""
	}
	return " (nearest: " + missesText(misses) + ")"
}

// provisionerText names the provisioner: the claim's annotation says whom the controller asked.
func provisionerText(l *ClaimLink) string {
	name := l.class.Provisioner
	for _, key := range []string{volume.AnnBetaStorageProvisioner, volume.AnnStorageProvisioner} {
		if asked := l.object.Annotations[key]; asked != "" {
			name = asked
		}
	}
	return "provisioner " + name
}

// text is the sentence of a claim: what it is, whom it waits for, and since when.
func (l *ClaimLink) text() string { return "claim " + l.Claim + " " + l.says() }

// described is text with what the claim asks for.
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

// troubled are the claims that keep the pod from every node.
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

// ClaimTrouble is the claims that keep the pod from every node.
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
