package shortage

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
	"orrery/core/scheduler/framework"
)

// Holder is a claim that has a device, with the first of the pods that use it.
type Holder struct {
	Device string `json:"device"`
	Claim  string `json:"claim"`
	Pod    string `json:"pod,omitempty"`
	// Priority is the pod's, Users counts the claim's pods. A claim without any has kept its devices; Ended says that the pod
	// is gone, or has ended.
	Priority int32 `json:"priority"`
	Users    int   `json:"users"`
	Ended    bool  `json:"ended,omitempty"`
}

// holder is a claim that has a device, or a part of it.
type holder struct {
	claim  *resourcev1.ResourceClaim
	shares bool // whether it has a part of a shared device
	users  []*v1.Pod
}

// holders finds who has which device. A device that is allocated with admin access is not taken by that.
func (s *Source) holders() map[deviceID][]*holder {
	holders := map[deviceID][]*holder{}
	onNodes := s.usersOnNodes()
	for claim := range s.Devices.Holders() {
		users := s.usersOf(claim, onNodes)
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			if !ptr.Deref(result.AdminAccess, false) {
				id := deviceID{result.Driver, result.Pool, result.Device}
				holders[id] = append(holders[id], &holder{claim: claim, shares: result.ShareID != nil, users: users})
			}
		}
	}
	return holders
}

// usersOnNodes are the pods on nodes by the claims that they name: the claim of a pod that is being bound does not name it yet.
func (s *Source) usersOnNodes() map[string][]*v1.Pod {
	pods := map[string][]*v1.Pod{}
	for _, info := range s.Nodes {
		for _, of := range info.GetPods() {
			pod := of.GetPod()
			for _, name := range devices.ClaimNames(pod) {
				key := pod.Namespace + "/" + name
				pods[key] = append(pods[key], pod)
			}
		}
	}
	return pods
}

// usersOf are the pods that are on a node with a claim, that it is reserved for, or whose implicit claim it is; those of the highest
// priority first.
func (s *Source) usersOf(claim *resourcev1.ResourceClaim, onNodes map[string][]*v1.Pod) []*v1.Pod {
	var users []*v1.Pod
	add := func(pod *v1.Pod) {
		if pod != nil && !slices.ContainsFunc(users, func(other *v1.Pod) bool { return other.UID == pod.UID }) {
			users = append(users, pod)
		}
	}
	for _, pod := range onNodes[claim.Namespace+"/"+claim.Name] {
		add(pod)
	}
	for _, user := range claim.Status.ReservedFor {
		if user.Resource == "pods" {
			add(s.PodNamed(claim.Namespace, user.Name))
		}
	}
	if owner := metav1.GetControllerOfNoCopy(claim); owner != nil && len(users) == 0 && s.Devices.InFlight(claim.UID) != nil {
		add(s.PodNamed(claim.Namespace, owner.Name))
	}
	slices.SortStableFunc(users, func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(corev1.PodPriority(b), corev1.PodPriority(a)), cmp.Compare(a.Name, b.Name))
	})
	return users
}

// describe names the device, the claim and its pod. Pods that have ended are not watched, so that only their names are known.
func (h *holder) describe(id deviceID) Holder {
	d := Holder{Device: id.short(), Claim: h.claim.Namespace + "/" + h.claim.Name, Users: len(h.users)}
	switch reserved := h.claim.Status.ReservedFor; {
	case len(h.users) > 0:
		d.Pod, d.Priority = framework.PodName(h.users[0]), corev1.PodPriority(h.users[0])
	case len(reserved) > 0:
		d.Pod, d.Ended = h.claim.Namespace+"/"+reserved[0].Name, true
	}
	return d
}

// unused reports whether no pod needs the device any more.
func (d *Holder) unused() bool { return d.Pod == "" || d.Ended }

// compare orders those first who are missed least: who needs the device no more, then the lowest priority.
func (d *Holder) compare(other *Holder) int {
	return cmp.Or(falseFirst(!d.unused(), !other.unused()), cmp.Compare(d.Priority, other.Priority))
}

// falseFirst compares two conditions.
func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// text names who has a device, compared with the priority of another pod: "default/train-2 (priority 0, lower than its own 10)".
func (d *Holder) text(own int32) string {
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
