package collect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/world"
	"orrery/views"
)

// briefRow returns a row without its devices. It is made once for each change of its pool.
func (x *deviceIndex) briefRow(r *poolRow) *views.DeviceRow {
	if r.brief != nil {
		return r.brief
	}
	id := r.pool.id
	row := &views.DeviceRow{
		Key: fmt.Sprintf("%q %q %q %d", id.driver, id.pool, r.place, r.from), Driver: printable.Text(id.driver), Pool: printable.Text(id.pool),
		Place: printable.Text(r.place), From: r.from, Of: r.of, Note: r.pool.note(),
	}
	if printable.Text(r.node) == r.node { // else no node has that name
		row.NodeKey = r.node
	}
	var models []string
	for i := range r.models {
		t := &r.models[i]
		models = append(models, printable.Text(t.total.model))
		for state, n := range t.count {
			row.Count[state] += n
		}
	}
	row.Model = strings.Join(models, ", ")
	names, keys := x.holdersOn(r)
	row.Holders, row.Pods = strings.Join(names, ", "), printable.Text(strings.Join(keys, " "))
	r.brief = row
	return row
}

// note returns why free devices of a pool are not allocated, or that old slices are still there.
func (p *devicePool) note() string {
	var parts []string
	if p.missing > 0 {
		parts = append(parts, "incomplete: "+plural.Count(p.missing, "slice")+" not published")
	}
	if p.outdated > 0 {
		parts = append(parts, plural.Count(p.outdated, "outdated slice"))
	}
	return strings.Join(parts, ", ")
}

// holdersOn names the workloads that have devices of a row, with how many if it is more than one; keys are all of their pods.
func (x *deviceIndex) holdersOn(r *poolRow) (names, keys []string) {
	count, workloads := map[string]int{}, []string{}
	for i := range r.units() {
		for h := range x.holdings(&r.units()[i]) {
			pod := x.podOf(h.claim)
			key, workload := pod.String(), x.workloadOf(pod)
			if pod.Name == "" {
				key, workload = h.claim.name.String(), "claim "+claimName(h.claim)
			}
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
			if count[workload]++; count[workload] == 1 {
				workloads = append(workloads, workload)
			}
		}
	}
	for _, name := range workloads[:min(len(workloads), maxHolders)] {
		text := strings.TrimPrefix(printable.Text(name), "default/")
		if n := count[name]; n > 1 {
			text += " ×" + strconv.Itoa(n)
		}
		names = append(names, text)
	}
	return names, keys
}

// workloadOf names a pod's controller, for a ReplicaSet of a Deployment the Deployment; a pod without one is its own.
func (x *deviceIndex) workloadOf(ref world.PodRef) string {
	pod := x.engine.Store().Pod(ref.Namespace, ref.Name)
	if pod == nil {
		return ref.String()
	}
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return ref.String()
	}
	name := owner.Name
	if hash := pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey]; hash != "" {
		name = strings.TrimSuffix(name, "-"+hash)
	}
	return ref.Namespace + "/" + name
}

// maxHolders bounds the holders of a row or a device that are named.
//
//orrery:limit screen; holders of a device that are named; the others are counted
const maxHolders = 8

// podOf returns the first pod that a claim is reserved for, else one that names it, else the claim itself.
func (x *deviceIndex) podOf(c *deviceClaim) world.PodRef {
	if c.claim != nil {
		for i := range c.claim.Status.ReservedFor {
			if r := &c.claim.Status.ReservedFor[i]; r.Resource == "pods" && r.APIGroup == "" {
				return world.PodRef{Namespace: c.name.Namespace, Name: printable.Text(r.Name)}
			}
		}
	}
	if pod := x.users.first(c.name); pod != nil {
		return world.PodRefOf(pod)
	}
	if c.claim != nil {
		for i := range c.claim.OwnerReferences {
			if o := &c.claim.OwnerReferences[i]; o.Kind == "Pod" {
				return world.PodRef{Namespace: c.name.Namespace, Name: printable.Text(o.Name)}
			}
		}
	}
	return world.PodRef{Namespace: c.name.Namespace}
}

// maxWhole bounds the rows that are kept with their devices.
//
//orrery:limit screen; rows of devices that are kept whole; the others are counted
const maxWhole = 4096

// wholeRow returns a row with its devices, which are kept until they change.
func (x *deviceIndex) wholeRow(r *poolRow) views.DeviceRow {
	if r.whole != nil {
		return *r.whole
	}
	row := *x.briefRow(r)
	row.Devices = make([]views.Device, 0, r.end-r.first)
	for i := range r.units() {
		row.Devices = append(row.Devices, x.device(&r.units()[i]))
	}
	if x.kept++; x.kept > maxWhole {
		x.kept = 0
		for _, other := range x.rows {
			other.whole = nil
		}
	}
	r.whole = &row
	return row
}

// device describes a unit.
func (x *deviceIndex) device(u *deviceUnit) views.Device {
	d := views.Device{Name: printable.Text(u.name), State: u.state, Share: u.share, SliceKey: u.whole.slice.Name, Facts: x.factsOf(u)}
	x.taintsOf(u, &d)
	for h := range x.holdings(u) {
		if d.Claims++; d.Claims <= maxHolders {
			d.Holders = append(d.Holders, x.holder(u, &h))
		}
	}
	return d
}

// holder describes what a claim has of a unit.
func (x *deviceIndex) holder(u *deviceUnit, h *holding) views.DeviceHolder {
	claim := h.claim
	v := views.DeviceHolder{
		Claim: printable.Text(claimName(claim)), ClaimKey: claim.name.String(), Pods: max(len(claim.claim.Status.ReservedFor), len(x.users.pods[claim.name])),
		Since: x.allocatedSince(claim),
	}
	if ref := x.podOf(claim); ref.Name != "" {
		v.Pod, v.PodKey = podNames(ref)
		v.Pods = max(v.Pods, 1)
		if pod := x.engine.Store().Pod(ref.Namespace, ref.Name); pod != nil {
			v.Priority = priorityOf(pod)
		}
	}
	switch {
	case u.set != nil && h.device != u.whole:
		v.Part = printable.Text(h.device.device.Name)
	case isShared(h.device.device):
		v.Part = printable.Text(capacityText(h.result.ConsumedCapacity, h.device.device))
	}
	var notes []string
	if h.admin() {
		notes = append(notes, "with admin access")
	}
	if claim.inFlight {
		notes = append(notes, "not written yet")
	} else if condition := failure(claim.claim, h.result); condition != nil {
		notes = append(notes, "failed: "+condition.Reason+" "+condition.Message)
	} else if waits := awaited(claim.claim, h.result); len(waits) > 0 {
		notes = append(notes, "waits for "+strings.Join(waits, ", "))
	}
	v.Note = printable.Text(strings.Join(notes, ", "))
	return v
}

// claimName is a claim's name; one that is not created yet has only that of its pod.
func claimName(c *deviceClaim) string {
	if pod, claim, found := strings.Cut(c.name.Name, unmade); found && c.claim == nil {
		return c.name.Namespace + "/" + pod + " (claim " + claim + ")"
	}
	if c.claim != nil && c.inFlight && string(c.claim.UID) == c.name.Name {
		return c.name.Namespace + "/" + strings.TrimSuffix(c.claim.GenerateName, "-")
	}
	return c.name.String()
}

// capacityText is what is consumed of a device's capacity: "memory 20Gi of 80Gi".
func capacityText(consumed map[resourcev1.QualifiedName]resource.Quantity, of *resourcev1.Device) string {
	names := make([]string, 0, len(consumed))
	for name := range consumed {
		names = append(names, string(name))
	}
	slices.Sort(names)
	for i, name := range names {
		amount, all := consumed[resourcev1.QualifiedName(name)], of.Capacity[resourcev1.QualifiedName(name)].Value
		names[i] = name + " " + amount.String() + " of " + all.String()
	}
	return strings.Join(names, ", ")
}

// factsOf are a unit's capacity, how many of its partitions are allocated, and what its driver has to do.
func (x *deviceIndex) factsOf(u *deviceUnit) string {
	var facts []string
	names := make([]string, 0, len(u.whole.device.Capacity))
	for name := range u.whole.device.Capacity {
		names = append(names, string(name))
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), 3)] {
		amount := u.whole.device.Capacity[resourcev1.QualifiedName(name)].Value
		facts = append(facts, name+" "+amount.String())
	}
	if isShared(u.whole.device) {
		facts = append(facts, "several claims may share it")
	}
	if parts := u.partitions(); parts > 0 {
		facts = append(facts, "divides into "+plural.Count(parts, "partition"))
	}
	if len(u.whole.device.BindingConditions) > 0 {
		facts = append(facts, "pods wait for "+strings.Join(u.whole.device.BindingConditions, ", "))
	}
	return printable.Text(strings.Join(facts, ", "))
}

// partitions is how many parts of a unit can be allocated.
func (u *deviceUnit) partitions() int {
	if u.set != nil && u.partOf(u.whole) >= 1 {
		return len(u.parts) - 1
	}
	return len(u.parts)
}

// taintsOf fills in the taints of a unit's devices, with the rules that put them there.
func (x *deviceIndex) taintsOf(u *deviceUnit, d *views.Device) {
	var taints []string
	for device := range u.devicesOf {
		if len(device.device.Taints) == 0 {
			continue
		}
		rules := x.engine.Devices().RulesOn(device.slice, device.device.Name)
		own := len(device.device.Taints) - len(rules) // those of rules come after them
		for i := range device.device.Taints {
			t := &device.device.Taints[i]
			text := taintText(t)
			if at := i - own; at >= 0 {
				text += " by rule " + rules[at].Name
			} else {
				text += " by its driver"
			}
			if !slices.Contains(taints, text) {
				taints = append(taints, text)
			}
			if added := timeAdded(t); !added.IsZero() && (d.Tainted.IsZero() || added.Before(d.Tainted)) {
				d.Tainted = added
			}
		}
	}
	d.Taints = printable.Text(strings.Join(taints, ", "))
}

// taintText is a taint as kubectl prints those of nodes.
func taintText(t *resourcev1.DeviceTaint) string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	return text + ":" + string(t.Effect)
}
