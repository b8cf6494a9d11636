package shortage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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
	"orrery/core/scheduler/framework"
)

// ClaimState is what a claim for devices is for its pod.
type ClaimState string

// The states, those that reject the pod on every node first.
const (
	Missing     ClaimState = "missing"
	Generating  ClaimState = "generating" // the claim of a template, which the controller has not made yet
	Terminating ClaimState = "terminating"
	Foreign     ClaimState = "foreign"    // made of a template, for another pod
	Allocating  ClaimState = "allocating" // for another pod that is being bound
	Classless   ClaimState = "classMissing"
	Refused     ClaimState = "refused" // a feature gate for what it asks is off
	Unallocated ClaimState = "unallocated"
	Allocated   ClaimState = "allocated"
	Unneeded    ClaimState = "unneeded"
)

// Claim is one claim of a pod, or an extended resource that devices serve.
type Claim struct {
	// Name is the pod's name for the claim, Claim its own, Template what it is made of; or Name is the extended resource.
	Name     string     `json:"name"`
	Claim    string     `json:"claim,omitempty"`
	Template string     `json:"template,omitempty"`
	Extended bool       `json:"extended,omitempty"`
	State    ClaimState `json:"state"`
	// Says is what the claim says about itself, WaitsFor who has to act next.
	Says     string `json:"message"`
	WaitsFor string `json:"waitsFor,omitempty"`
	// Devices are those that it has, and Reaches counts the nodes that reach them.
	Devices  []string  `json:"devices,omitempty"`
	Reaches  int       `json:"reaches,omitempty"`
	Requests []Request `json:"requests,omitempty"`

	object *resourcev1.ResourceClaim
	// meant are the names that the claim's, or that of its class, is probably mistyped for.
	meant []string
}

// Request is one request of a claim, or one of the alternatives of a request.
type Request struct {
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
	Reasons []Reason `json:"reasons,omitempty"`

	index       int
	claim       *Claim
	parent      string          // of an alternative
	group       []*Request      // the alternatives, or it alone
	resource    v1.ResourceName // of an extended resource
	admin       bool
	adminAsked  bool // whether it says anything about admin access
	selectors   []resourcev1.DeviceSelector
	tolerations []resourcev1.DeviceToleration
	capacity    map[resourcev1.QualifiedName]resource.Quantity
}

// toAllocate reports whether the claim gets devices when its pod has a node.
func (c *Claim) toAllocate() bool { return c.State == Unallocated }

// Troubled reports whether no node is feasible for the claim, whatever the devices are.
func (c *Claim) Troubled() bool {
	switch c.State {
	case Unallocated, Allocated, Unneeded:
		return false
	}
	return true
}

// Title names the claim in a sentence.
func (c *Claim) Title() string {
	switch {
	case c.Extended:
		return "resource " + c.Name
	case c.Claim == "":
		return "claim " + c.Name
	}
	return "claim " + c.Claim
}

// Text is what the claim is, and whom it waits for.
func (c *Claim) Text() string {
	text := c.Title() + " " + c.Says
	if c.WaitsFor != "" {
		text += "; it waits for " + c.WaitsFor
	}
	return text
}

// claims returns the pod's claims in its order, and then its extended resources that a class of devices serves.
func (s *Source) claims() []Claim {
	var claims []Claim
	for i := range s.Pod.Spec.ResourceClaims {
		claims = append(claims, s.claimOf(&s.Pod.Spec.ResourceClaims[i]))
	}
	requested := requests.Of(s.Pod, resourcehelper.PodResourcesOptions{})
	for _, name := range slices.Sorted(maps.Keys(requested)) {
		amount := requests.Amount(name, requested[name])
		if class := s.Devices.ClassOf(name); class != nil && amount > 0 {
			claims = append(claims, extendedClaim(name, class.Name, amount))
		}
	}
	return claims
}

// extendedClaim is what an extended resource asks of nodes that do not have it themselves.
func extendedClaim(name v1.ResourceName, class string, amount int64) Claim {
	r := Request{Request: string(name), Class: class, Count: amount, resource: name}
	r.Says = r.asks()
	return Claim{
		Name: string(name), Extended: true, State: Unallocated, Requests: []Request{r},
		Says: "is served by class " + class + " where a node does not have it",
	}
}

func (s *Source) claimOf(ref *v1.PodResourceClaim) Claim {
	c := Claim{Name: ref.Name, Template: ptr.Deref(ref.ResourceClaimTemplateName, "")}
	name, generated, err := resourceclaim.Name(s.Pod, ref)
	switch {
	case err != nil && c.Template != "":
		c.State, c.Says, c.WaitsFor = Generating, "of template "+c.Template+" does not exist yet", "the resource claim controller"
		return c
	case err != nil:
		c.State, c.Says = Missing, "names neither a claim nor a template"
		return c
	case name == nil:
		c.State, c.Says = Unneeded, "of template "+c.Template+" is not needed"
		return c
	}
	c.Claim, c.object = *name, s.Devices.Claim(s.Pod.Namespace, *name)
	if c.object == nil {
		s.describeMissing(&c, generated)
		return c
	}
	c.Requests = requestsOf(c.object)
	switch {
	case c.object.DeletionTimestamp != nil:
		c.State, c.Says = Terminating, "is being deleted since "+c.object.DeletionTimestamp.UTC().Format(time.RFC3339)
	case generated && resourceclaim.IsForPod(s.Pod, c.object, false) != nil:
		c.State, c.Says = Foreign, "was made for another pod of the same name"
	case c.object.Status.Allocation != nil:
		s.describeAllocated(&c)
	case s.Devices.InFlight(c.object.UID) != nil && !s.HasNode:
		c.State, c.Says = Allocating, "gets devices for another pod, which is being bound"
	default:
		c.State, c.Says = Unallocated, "gets devices when its pod has a node"
		s.checkRequests(&c)
	}
	return c
}

func (s *Source) describeMissing(c *Claim, generated bool) {
	c.State, c.Says = Missing, "does not exist in namespace "+s.Pod.Namespace
	if generated {
		c.WaitsFor = "the resource claim controller, to make it of template " + c.Template
		return
	}
	var others []string
	for _, claim := range s.Devices.Claims() {
		if claim.Namespace == s.Pod.Namespace {
			others = append(others, claim.Name)
		}
	}
	if c.meant = spelling.Nearest(c.Claim, others, framework.MaxListed); len(c.meant) > 0 {
		c.Says += "; there is " + strings.Join(c.meant, ", ")
	}
}

func (s *Source) describeAllocated(c *Claim) {
	c.State = Allocated
	allocation := c.object.Status.Allocation
	for i := range allocation.Devices.Results {
		result := &allocation.Devices.Results[i]
		c.Devices = append(c.Devices, deviceID{result.Driver, result.Pool, result.Device}.String())
	}
	c.Reaches = s.reaches(allocation)
	c.Says = fmt.Sprintf("has %s: %s", plural.Count(len(c.Devices), "device"), framework.Listed(c.Devices))
	if c.Reaches < len(s.Nodes) {
		c.Says += fmt.Sprintf("; %d of %s can use it", c.Reaches, plural.Count(len(s.Nodes), "node"))
	}
}

// reaches counts the nodes that reach the devices of an allocation.
func (s *Source) reaches(allocation *resourcev1.AllocationResult) int {
	if allocation.NodeSelector == nil {
		return len(s.Nodes)
	}
	reached := 0
	if selector, err := nodeaffinity.NewNodeSelector(allocation.NodeSelector); err == nil {
		for _, info := range s.Nodes {
			if selector.Match(info.Node()) {
				reached++
			}
		}
	}
	return reached
}

// checkRequests looks for what no node can give: devices of a class that does not exist, or what needs a feature gate.
func (s *Source) checkRequests(c *Claim) {
	for i := range c.Requests {
		r := &c.Requests[i]
		if gate := s.gateOff(r); gate != "" {
			c.State = Refused
			c.Says = fmt.Sprintf("asks in request %s for %s, for which the feature gate %s is off", r.Request, r.Says, gate)
			return
		}
		if s.Devices.Class(r.Class) != nil {
			continue
		}
		c.State = Classless
		c.Says = fmt.Sprintf("asks in request %s for devices of class %s, which does not exist", r.Request, r.Class)
		if c.meant = spelling.Nearest(r.Class, s.Devices.ClassNames(), framework.MaxListed); len(c.meant) > 0 {
			c.Says += "; there is " + strings.Join(c.meant, ", ")
		}
		return
	}
}

// gateOff is the feature gate that a request needs and that is off; empty if there is none.
func (s *Source) gateOff(r *Request) string {
	switch f := s.Features; {
	case r.adminAsked && !f.AdminAccess:
		return string(config.DRAAdminAccess)
	case r.parent != "" && !f.PrioritizedList:
		return string(config.DRAPrioritizedList)
	case r.capacity != nil && !f.ConsumableCapacity:
		return string(config.DRAConsumableCapacity)
	}
	return ""
}

// requestsOf are the requests of a claim; alternatives are one each.
func requestsOf(claim *resourcev1.ResourceClaim) []Request {
	var list []Request
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if e := request.Exactly; e != nil {
			list = append(list, newRequest(Request{
				Request: request.Name, Class: e.DeviceClassName, Count: e.Count, All: e.AllocationMode == resourcev1.DeviceAllocationModeAll,
				admin: ptr.Deref(e.AdminAccess, false), adminAsked: e.AdminAccess != nil, selectors: e.Selectors, tolerations: e.Tolerations,
			}, e.Capacity))
		}
		for j := range request.FirstAvailable {
			sub := &request.FirstAvailable[j]
			list = append(list, newRequest(Request{
				Request: resourceclaim.CreateSubRequestRef(request.Name, sub.Name), Class: sub.DeviceClassName, Count: sub.Count,
				All: sub.AllocationMode == resourcev1.DeviceAllocationModeAll, parent: request.Name, selectors: sub.Selectors, tolerations: sub.Tolerations,
			}, sub.Capacity))
		}
	}
	return list
}

func newRequest(r Request, capacity *resourcev1.CapacityRequirements) Request {
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
func (r *Request) asks() string {
	if r.All {
		return "all devices " + r.kind()
	}
	return plural.Count(int(r.Count), "device") + " " + r.kind()
}

// kind is which devices it requests: "of class gpu that match device.driver == ...".
func (r *Request) kind() string {
	text := "of class " + r.Class
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

// title names the request with its claim: "request gpu of claim train".
func (r *Request) title() string {
	if r.claim.Extended {
		return r.claim.Title()
	}
	return "request " + r.Request + " of " + r.claim.Title()
}

// head names the request with its claim, and says what it requests.
func (r *Request) head() string {
	if r.claim.Extended {
		return r.claim.Title() + " (" + r.Says + ")"
	}
	return r.claim.Title() + ", request " + r.Request + " (" + r.Says + ")"
}

// Line is the request in the chain of its claim.
func (r *Request) Line() string {
	text := "request " + r.Request + ": " + r.Says
	if r.resource != "" {
		text = r.Says
	}
	if r.TooFewOn > 0 {
		text += "; too few on " + plural.Count(r.TooFewOn, "node")
	}
	return text
}
