package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"

	"orrery/core/objects/requests"
	"orrery/core/safe/plural"
	"orrery/core/safe/spelling"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// DeviceClaimState is what a claim for devices is for its pod.
type DeviceClaimState string

// The states, those that reject the pod on every node first.
const (
	DevicesMissing     DeviceClaimState = "missing"
	DevicesGenerating  DeviceClaimState = "generating" // the claim of a template, which the controller has not made yet
	DevicesTerminating DeviceClaimState = "terminating"
	DevicesForeign     DeviceClaimState = "foreign"    // made of a template, for another pod
	DevicesAllocating  DeviceClaimState = "allocating" // for another pod that is being bound
	DevicesClassless   DeviceClaimState = "classMissing"
	DevicesRefused     DeviceClaimState = "refused" // a feature gate for what it asks is off
	DevicesUnallocated DeviceClaimState = "unallocated"
	DevicesAllocated   DeviceClaimState = "allocated"
	DevicesUnneeded    DeviceClaimState = "unneeded"
)

// DeviceClaim is one claim of a pod, or an extended resource that devices serve.
type DeviceClaim struct {
	// Name is the pod's name for the claim, Claim its own, Template what it is made of; or Name is the extended resource.
	Name     string           `json:"name"`
	Claim    string           `json:"claim,omitempty"`
	Template string           `json:"template,omitempty"`
	Extended bool             `json:"extended,omitempty"`
	State    DeviceClaimState `json:"state"`
	// Says is what the claim says about itself, WaitsFor who has to act next.
	Says     string `json:"message"`
	WaitsFor string `json:"waitsFor,omitempty"`
	// Devices are those that it has, and Reaches counts the nodes that reach them.
	Devices  []string        `json:"devices,omitempty"`
	Reaches  int             `json:"reaches,omitempty"`
	Requests []DeviceRequest `json:"requests,omitempty"`

	object *resourcev1.ResourceClaim
}

// DeviceRequest is one request of a claim, or one of the alternatives of a request.
type DeviceRequest struct {
	Request string `json:"request"` // "gpu", or "gpu/large" for an alternative
	Class   string `json:"class"`
	// Count devices are requested, or All that match.
	Count     int64    `json:"count,omitempty"`
	All       bool     `json:"all,omitempty"`
	Selectors []string `json:"selectors,omitempty"`
	Says      string   `json:"message"`
	// TooFewOn counts the nodes that have too few devices for the request; on NoneOn of them the selectors match none. MostOn
	// is the most devices that do on any of them.
	TooFewOn int `json:"insufficientNodes"`
	NoneOn   int `json:"nodesWithout"`
	MostOn   int `json:"largestNode"`
	// Reasons are why the devices of those nodes do not do.
	Reasons []DeviceReason `json:"reasons,omitempty"`

	index       int
	claim       *DeviceClaim
	parent      string          // of an alternative
	resource    v1.ResourceName // of an extended resource
	admin       bool
	adminAsked  bool // whether it says anything about admin access
	selectors   []resourcev1.DeviceSelector
	tolerations []resourcev1.DeviceToleration
	capacity    map[resourcev1.QualifiedName]resource.Quantity
}

// toAllocate reports whether the claim gets devices when its pod has a node.
func (c *DeviceClaim) toAllocate() bool { return c.State == DevicesUnallocated }

// troubled reports whether no node is feasible for the claim, whatever the devices are.
func (c *DeviceClaim) troubled() bool {
	switch c.State {
	case DevicesUnallocated, DevicesAllocated, DevicesUnneeded:
		return false
	}
	return true
}

// title names the claim in a sentence.
func (c *DeviceClaim) title() string {
	switch {
	case c.Extended:
		return "resource " + c.Name
	case c.Claim == "":
		return "claim " + c.Name
	}
	return "claim " + c.Claim
}

// text is what the claim is, and whom it waits for.
func (c *DeviceClaim) text() string {
	text := c.title() + " " + c.Says
	if c.WaitsFor != "" {
		text += "; it waits for " + c.WaitsFor
	}
	return text
}

// deviceClaims returns the pod's claims in its order, and then its extended resources that a class of devices serves.
func (p *pendingPod) deviceClaims() []DeviceClaim {
	var claims []DeviceClaim
	for i := range p.pod.Spec.ResourceClaims {
		claims = append(claims, p.deviceClaim(&p.pod.Spec.ResourceClaims[i]))
	}
	requested := requests.Of(p.pod, resourcehelper.PodResourcesOptions{})
	for _, name := range slices.Sorted(maps.Keys(requested)) {
		amount := requests.Amount(name, requested[name])
		if class := p.engine.Devices().ClassOf(name); class != nil && amount > 0 {
			claims = append(claims, extendedClaim(name, class.Name, amount))
		}
	}
	return claims
}

// extendedClaim is what an extended resource asks of nodes that do not have it themselves.
func extendedClaim(name v1.ResourceName, class string, amount int64) DeviceClaim {
	r := DeviceRequest{Request: string(name), Class: class, Count: amount, resource: name}
	r.Says = r.asks()
	return DeviceClaim{
		Name: string(name), Extended: true, State: DevicesUnallocated, Requests: []DeviceRequest{r},
		Says: "is served by class " + class + " where a node does not have it",
	}
}

func (p *pendingPod) deviceClaim(ref *v1.PodResourceClaim) DeviceClaim {
	c := DeviceClaim{Name: ref.Name, Template: ptr.Deref(ref.ResourceClaimTemplateName, "")}
	name, generated, err := resourceclaim.Name(p.pod, ref)
	switch {
	case err != nil && c.Template != "":
		c.State, c.Says, c.WaitsFor = DevicesGenerating, "of template "+c.Template+" does not exist yet", "the resource claim controller"
		return c
	case err != nil:
		c.State, c.Says = DevicesMissing, "names neither a claim nor a template"
		return c
	case name == nil:
		c.State, c.Says = DevicesUnneeded, "of template "+c.Template+" is not needed"
		return c
	}
	c.Claim, c.object = *name, p.engine.Devices().Claim(p.pod.Namespace, *name)
	if c.object == nil {
		p.describeMissingDevices(&c, generated)
		return c
	}
	c.Requests = requestsOf(c.object)
	switch {
	case c.object.DeletionTimestamp != nil:
		c.State, c.Says = DevicesTerminating, "is being deleted"+volumes.SinceText(c.object.DeletionTimestamp.Time)
	case generated && resourceclaim.IsForPod(p.pod, c.object) != nil:
		c.State, c.Says = DevicesForeign, "was made for another pod of the same name"
	case c.object.Status.Allocation != nil:
		p.describeAllocated(&c)
	case p.engine.Devices().InFlight(c.object.UID) != nil && !hasNode(p.engine, p.pod):
		c.State, c.Says = DevicesAllocating, "gets devices for another pod, which is being bound"
	default:
		c.State, c.Says = DevicesUnallocated, "gets devices when its pod has a node"
		p.checkRequests(&c)
	}
	return c
}

func (p *pendingPod) describeMissingDevices(c *DeviceClaim, generated bool) {
	c.State, c.Says = DevicesMissing, "does not exist in namespace "+p.pod.Namespace
	if generated {
		c.WaitsFor = "the resource claim controller, to make it of template " + c.Template
		return
	}
	var others []string
	for _, claim := range p.engine.Devices().Claims() {
		if claim.Namespace == p.pod.Namespace {
			others = append(others, claim.Name)
		}
	}
	if near := spelling.Nearest(c.Claim, others, maxListed); len(near) > 0 {
		c.Says += "; there is " + strings.Join(near, ", ")
	}
}

func (p *pendingPod) describeAllocated(c *DeviceClaim) {
	c.State = DevicesAllocated
	allocation := c.object.Status.Allocation
	for i := range allocation.Devices.Results {
		result := &allocation.Devices.Results[i]
		c.Devices = append(c.Devices, deviceID{result.Driver, result.Pool, result.Device}.String())
	}
	c.Reaches = len(p.reachedBy(allocation))
	c.Says = fmt.Sprintf("has %s: %s", plural.Count(len(c.Devices), "device"), listed(c.Devices))
	if c.Reaches < len(p.nodes) {
		c.Says += fmt.Sprintf("; %d of %s can use it", c.Reaches, plural.Count(len(p.nodes), "node"))
	}
}

// reachedBy are the nodes that reach the devices of an allocation, by name.
func (p *pendingPod) reachedBy(allocation *resourcev1.AllocationResult) []string {
	var names []string
	selector, err := (*nodeaffinity.NodeSelector)(nil), error(nil)
	if allocation.NodeSelector != nil {
		selector, err = nodeaffinity.NewNodeSelector(allocation.NodeSelector)
	}
	for name, info := range p.nodes {
		if err == nil && (selector == nil || selector.Match(info.Node())) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// checkRequests looks for what no node can give: devices of a class that does not exist, or what needs a feature gate.
func (p *pendingPod) checkRequests(c *DeviceClaim) {
	for i := range c.Requests {
		r := &c.Requests[i]
		if gate := p.gateOff(r); gate != "" {
			c.State = DevicesRefused
			c.Says = fmt.Sprintf("asks in request %s for %s, for which the feature gate %s is off", r.Request, r.Says, gate)
			return
		}
		if p.engine.Devices().Class(r.Class) != nil {
			continue
		}
		c.State = DevicesClassless
		c.Says = fmt.Sprintf("asks in request %s for devices of class %s, which does not exist", r.Request, r.Class)
		if near := spelling.Nearest(r.Class, p.deviceClassNames(), maxListed); len(near) > 0 {
			c.Says += "; there is " + strings.Join(near, ", ")
		}
		return
	}
}

func (p *pendingPod) deviceClassNames() []string {
	var names []string
	for o := range p.engine.Store().Objects(world.DeviceClass) {
		names = append(names, o.GetName())
	}
	return names
}

// gateOff is the feature gate that a request needs and that is off; empty if there is none.
func (p *pendingPod) gateOff(r *DeviceRequest) string {
	switch f := p.engine.Features(); {
	case r.adminAsked && !f.Enabled(config.DRAAdminAccess):
		return string(config.DRAAdminAccess)
	case r.parent != "" && !f.Enabled(config.DRAPrioritizedList):
		return string(config.DRAPrioritizedList)
	case r.capacity != nil && !f.Enabled(config.DRAConsumableCapacity):
		return string(config.DRAConsumableCapacity)
	}
	return ""
}

// requestsOf are the requests of a claim; alternatives are one each.
func requestsOf(claim *resourcev1.ResourceClaim) []DeviceRequest {
	var list []DeviceRequest
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if e := request.Exactly; e != nil {
			list = append(list, newDeviceRequest(DeviceRequest{
				Request: request.Name, Class: e.DeviceClassName, Count: e.Count, All: e.AllocationMode == resourcev1.DeviceAllocationModeAll,
				admin: ptr.Deref(e.AdminAccess, false), adminAsked: e.AdminAccess != nil, selectors: e.Selectors, tolerations: e.Tolerations,
			}, e.Capacity))
		}
		for j := range request.FirstAvailable {
			sub := &request.FirstAvailable[j]
			list = append(list, newDeviceRequest(DeviceRequest{
				Request: resourceclaim.CreateSubRequestRef(request.Name, sub.Name), Class: sub.DeviceClassName, Count: sub.Count,
				All: sub.AllocationMode == resourcev1.DeviceAllocationModeAll, parent: request.Name, selectors: sub.Selectors, tolerations: sub.Tolerations,
			}, sub.Capacity))
		}
	}
	return list
}

func newDeviceRequest(r DeviceRequest, capacity *resourcev1.CapacityRequirements) DeviceRequest {
	if capacity != nil {
		r.capacity = capacity.Requests
	}
	for i := range r.selectors {
		if r.selectors[i].CEL != nil {
			r.Selectors = append(r.Selectors, shownExpression(r.selectors[i].CEL.Expression))
		}
	}
	r.Says = r.asks()
	return r
}

// asks is what it requests: "2 devices of class gpu".
func (r *DeviceRequest) asks() string {
	text := plural.Count(int(r.Count), "device") + " of class " + r.Class
	if r.All {
		text = "all devices of class " + r.Class
	}
	if r.admin {
		text += " with admin access"
	}
	for _, name := range slices.Sorted(maps.Keys(r.capacity)) {
		amount := r.capacity[name]
		text += fmt.Sprintf(" with %s of %s", &amount, name)
	}
	for i, selector := range r.Selectors {
		if i == 0 {
			text += " that match "
		} else {
			text += " and "
		}
		text += selector
	}
	return text
}

// head names the request with its claim.
func (r *DeviceRequest) head() string {
	if r.claim.Extended {
		return r.claim.title() + " (" + r.Says + ")"
	}
	return r.claim.title() + ", request " + r.Request + " (" + r.Says + ")"
}
