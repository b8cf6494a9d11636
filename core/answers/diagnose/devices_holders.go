package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/utils/ptr"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/engine"
)

// DeviceHolder is a claim that has a device, with the first of the pods that use it.
type DeviceHolder struct {
	Device string `json:"device"`
	Claim  string `json:"claim"`
	Pod    string `json:"pod,omitempty"`
	// Priority is the pod's, Users counts the claim's pods. A claim without any has kept its devices; Ended says that the pod
	// is gone, or has ended.
	Priority int32 `json:"priority"`
	Users    int   `json:"users"`
	Ended    bool  `json:"ended,omitempty"`
}

// deviceHolder is a claim that has a device, or a part of it.
type deviceHolder struct {
	claim    *resourcev1.ResourceClaim
	consumed map[resourcev1.QualifiedName]string // of a shared device
	users    []*v1.Pod
}

// deviceHolders finds who has which device. A device that is allocated with admin access is not taken by that.
func deviceHolders(e *engine.Engine) map[deviceID][]*deviceHolder {
	holders := map[deviceID][]*deviceHolder{}
	binding := bindingClaims(e)
	for claim := range e.Devices().Holders() {
		users := usersOfClaim(e, claim, binding)
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			if ptr.Deref(result.AdminAccess, false) {
				continue
			}
			holder := &deviceHolder{claim: claim, users: users}
			if result.ShareID != nil {
				holder.consumed = map[resourcev1.QualifiedName]string{}
				for name, amount := range result.ConsumedCapacity {
					holder.consumed[name] = amount.String()
				}
			}
			id := deviceID{result.Driver, result.Pool, result.Device}
			holders[id] = append(holders[id], holder)
		}
	}
	return holders
}

// bindingClaims are the pods that are being bound, by the claims that they name: such a claim does not name its users yet.
func bindingClaims(e *engine.Engine) map[string][]*v1.Pod {
	pods := map[string][]*v1.Pod{}
	for _, b := range e.Bindings() {
		pod := e.Store().Pod(b.Pod.Namespace, b.Pod.Name)
		if pod == nil {
			continue
		}
		for _, name := range devices.ClaimNames(pod) {
			key := pod.Namespace + "/" + name
			pods[key] = append(pods[key], pod)
		}
	}
	return pods
}

// usersOfClaim are the pods that a claim is reserved for, that are being bound with it, or whose implicit claim it is; those
// of the highest priority first.
func usersOfClaim(e *engine.Engine, claim *resourcev1.ResourceClaim, binding map[string][]*v1.Pod) []*v1.Pod {
	users := slices.Clone(binding[claim.Namespace+"/"+claim.Name])
	add := func(name string) {
		pod := e.Store().Pod(claim.Namespace, name)
		if pod != nil && !slices.Contains(users, pod) {
			users = append(users, pod)
		}
	}
	for _, user := range claim.Status.ReservedFor {
		if user.Resource == "pods" {
			add(user.Name)
		}
	}
	if owner := metav1.GetControllerOfNoCopy(claim); owner != nil && len(users) == 0 && e.Devices().InFlight(claim.UID) != nil {
		add(owner.Name)
	}
	slices.SortStableFunc(users, func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(corev1.PodPriority(b), corev1.PodPriority(a)), cmp.Compare(a.Name, b.Name))
	})
	return users
}

// describe names the device, the claim and its pod. Pods that have ended are not watched, so that only their names are known.
func (h *deviceHolder) describe(id deviceID) DeviceHolder {
	d := DeviceHolder{Device: id.short(), Claim: h.claim.Namespace + "/" + h.claim.Name, Users: len(h.users)}
	switch reserved := h.claim.Status.ReservedFor; {
	case len(h.users) > 0:
		d.Pod, d.Priority = fullName(h.users[0]), corev1.PodPriority(h.users[0])
	case len(reserved) > 0:
		d.Pod, d.Ended = h.claim.Namespace+"/"+reserved[0].Name, true
	}
	return d
}

// unused reports whether no pod needs the device any more.
func (d *DeviceHolder) unused() bool { return d.Pod == "" || d.Ended }

// compare orders those first who are missed least: who needs the device no more, then the lowest priority.
func (d *DeviceHolder) compare(other *DeviceHolder) int {
	return cmp.Or(boolRank(!d.unused())-boolRank(!other.unused()), cmp.Compare(d.Priority, other.Priority))
}

// text names who has a device, compared with the priority of another pod: "default/train-2 (priority 0, lower than its own 10)".
func (d *DeviceHolder) text(own int32) string {
	switch {
	case d.Pod == "":
		return "claim " + d.Claim + ", which no pod uses"
	case d.Ended:
		return "claim " + d.Claim + " of pod " + d.Pod + ", which has ended"
	}
	text := fmt.Sprintf("%s (priority %d", d.Pod, d.Priority)
	switch {
	case d.Priority < own:
		text += fmt.Sprintf(", lower than its own %d", own)
	case d.Priority > own:
		text += fmt.Sprintf(", higher than its own %d", own)
	}
	text += ")"
	if d.Users > 1 {
		text += fmt.Sprintf(" and %s", plural.Count(d.Users-1, "other pod"))
	}
	return text
}
