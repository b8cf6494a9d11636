package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
	"orrery/core/world/memory"
)

// createDeviceClasses creates the device classes and the claims to devices.
func (d *ScriptRunner) createDeviceClasses() error {
	devices := &d.file.Cluster.Devices
	for _, name := range sortedKeys(devices.Classes) {
		if err := d.create(devices.class(name)); err != nil {
			return devices.Fail("classes."+name, "%v", err)
		}
	}
	for i := range devices.Claims {
		c := &devices.Claims[i]
		if err := d.create(c.object()); err != nil {
			return c.Fail("name", "%v", err)
		}
	}
	return nil
}

// class returns a class that selects the devices of a driver, of a model, and by an expression.
func (p *devicesPart) class(name string) *resourcev1.DeviceClass {
	c := p.of(p.Classes[name])
	class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if c.Model != "" {
		c.Driver = p.Models[c.Model].Driver
	}
	if c.Driver != "" {
		class.Spec.Selectors = append(class.Spec.Selectors, selector(fmt.Sprintf("device.driver == %q", c.Driver)))
	}
	if c.Model != "" {
		class.Spec.Selectors = append(class.Spec.Selectors, selector(fmt.Sprintf("device.attributes[%q].model == %q", c.Driver, c.Model)))
	}
	if c.Selector != "" {
		class.Spec.Selectors = append(class.Spec.Selectors, selector(c.Selector))
	}
	if c.ExtendedResource != "" {
		class.Spec.ExtendedResourceName = &c.ExtendedResource
	}
	return class
}

func selector(expression string) resourcev1.DeviceSelector {
	return resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}
}

func (c *deviceClaim) object() *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace(), Name: c.Name}, Spec: c.spec()}
}

func (c *deviceClaim) namespace() string {
	if c.Namespace == "" {
		return v1.NamespaceDefault
	}
	return c.Namespace
}

// requestName is the name of the only request of a claim.
const requestName = "devices"

// spec returns a claim's spec with one request.
func (r *deviceRequest) spec() resourcev1.ResourceClaimSpec {
	request := resourcev1.DeviceRequest{Name: requestName}
	var selectors []resourcev1.DeviceSelector
	if r.Selector != "" {
		selectors = []resourcev1.DeviceSelector{selector(r.Selector)}
	}
	capacity := r.capacity()
	mode, count := resourcev1.DeviceAllocationModeExactCount, int64(max(1, r.Count))
	if r.All {
		mode, count = resourcev1.DeviceAllocationModeAll, 0
	}
	for _, class := range r.AnyOf {
		request.FirstAvailable = append(request.FirstAvailable, resourcev1.DeviceSubRequest{
			Name: choiceName(class), DeviceClassName: class, Selectors: selectors, AllocationMode: mode, Count: count, Capacity: capacity,
		})
	}
	if r.Class != "" {
		request.Exactly = &resourcev1.ExactDeviceRequest{
			DeviceClassName: r.Class, Selectors: selectors, AllocationMode: mode, Count: count, Capacity: capacity,
		}
	}
	spec := resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{request}}}
	if r.SameAttribute != "" {
		name := resourcev1.FullyQualifiedName(r.SameAttribute)
		spec.Devices.Constraints = []resourcev1.DeviceConstraint{{Requests: []string{requestName}, MatchAttribute: &name}}
	}
	return spec
}

// capacity is what a request needs of each device, nil if it says nothing.
func (r *deviceRequest) capacity() *resourcev1.CapacityRequirements {
	if len(r.Capacity) == 0 {
		return nil
	}
	requests := map[resourcev1.QualifiedName]resource.Quantity{}
	for name, q := range r.Capacity {
		requests[resourcev1.QualifiedName(name)] = q.Quantity
	}
	return &resourcev1.CapacityRequirements{Requests: requests}
}

// claimTemplateObjects returns the templates of the claims of a workload's pods.
func (w *workload) claimTemplateObjects() []world.Object {
	var all []world.Object
	for _, name := range sortedKeys(w.Devices) {
		if p := w.Devices[name]; p.isTemplate() {
			all = append(all, &resourcev1.ResourceClaimTemplate{
				ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.templateName(name)},
				Spec:       resourcev1.ResourceClaimTemplateSpec{Spec: p.spec()},
			})
		}
	}
	return all
}

// resourceClaims returns the claims of a workload's pods, and their use by a container.
func (w *workload) resourceClaims() (claims []v1.PodResourceClaim, used []v1.ResourceClaim) {
	for _, name := range sortedKeys(w.Devices) {
		claim := v1.PodResourceClaim{Name: name}
		if p := w.Devices[name]; p.isTemplate() {
			template := w.templateName(name)
			claim.ResourceClaimTemplateName = &template
		} else {
			claim.ResourceClaimName = &p.Claim
		}
		claims, used = append(claims, claim), append(used, v1.ResourceClaim{Name: name})
	}
	return claims, used
}

// nodePools returns the pools of a group's node, one for each driver and pool of its models.
func (p *devicesPart) nodePools(g *nodeGroup, node string) []memory.DevicePool {
	var all []memory.DevicePool
	for _, name := range sortedKeys(g.Devices) {
		m := p.Models[name]
		at := -1
		for i := range all {
			if all[i].Driver == m.Driver && all[i].Name == m.poolOn(node) {
				at = i
			}
		}
		if at < 0 {
			all = append(all, memory.DevicePool{Driver: m.Driver, Node: node, Name: m.poolOn(node)})
			at = len(all) - 1
		}
		m.addTo(&all[at], name, g.Devices[name])
	}
	return all
}

// object returns a pool of several nodes.
func (d *devicePool) object(models map[string]deviceModel) memory.DevicePool {
	m := models[d.Model]
	pool := memory.DevicePool{Driver: m.Driver, Name: m.poolOn(d.Name)}
	if key, value, ok := strings.Cut(d.Nodes, "="); ok {
		pool.Nodes = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: topologyKey(key), Operator: v1.NodeSelectorOpIn, Values: []string{value}},
		}}}}
	}
	m.addTo(&pool, d.Model, d.Count)
	return pool
}

// addTo adds a number of devices to a pool, each with its partitions. They are called after the model and numbered.
func (m *deviceModel) addTo(pool *memory.DevicePool, name string, count int) {
	taken := map[string]bool{}
	for i := range pool.Devices {
		taken[pool.Devices[i].Name] = true
	}
	if m.PerSlice > 0 {
		pool.PerSlice = m.PerSlice
	}
	whole := m.device(name, 1)
	for i := 0; count > 0; i++ {
		if whole.Name = fmt.Sprintf("%s-%d", name, i); taken[whole.Name] {
			continue
		}
		pool.Devices = append(pool.Devices, whole)
		if len(m.Partitions) > 0 {
			m.partition(pool, name)
		}
		count--
	}
}

// partition divides the last device of a pool. It and its parts consume what they share of it.
func (m *deviceModel) partition(pool *memory.DevicePool, model string) {
	whole, units := &pool.Devices[len(pool.Devices)-1], commonMultiple(m.Partitions)
	name := whole.Name
	whole.ConsumesCounters = consumes(name, units)
	pool.Counters = append(pool.Counters, resourcev1.CounterSet{Name: name, Counters: counter(units)})
	for _, parts := range m.Partitions {
		piece := m.device(model, parts)
		piece.ConsumesCounters = consumes(name, units/parts)
		for part := range parts {
			piece.Name = fmt.Sprintf("%s-%dof%d", name, part+1, parts)
			pool.Devices = append(pool.Devices, piece)
		}
	}
}

// unitsCounter counts what the partitions of a device take of it.
const unitsCounter = "units"

func counter(units int) map[string]resourcev1.Counter {
	return map[string]resourcev1.Counter{unitsCounter: {Value: *resource.NewQuantity(int64(units), resource.DecimalSI)}}
}

func consumes(device string, units int) []resourcev1.DeviceCounterConsumption {
	return []resourcev1.DeviceCounterConsumption{{CounterSet: device, Counters: counter(units)}}
}

// commonMultiple is the least number that all of some numbers divide.
func commonMultiple(numbers []int) int {
	all := 1
	for _, n := range numbers {
		a, b := all, n
		for b != 0 {
			a, b = b, a%b
		}
		all *= n / a
	}
	return all
}

// device returns a device of a model without a name, or one of several parts of it.
func (m *deviceModel) device(model string, parts int) resourcev1.Device {
	d := resourcev1.Device{Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: &model}}}
	for key, value := range m.Attributes {
		d.Attributes[resourcev1.QualifiedName(key)] = attributeOf(value)
	}
	if parts > 1 {
		n := int64(parts)
		d.Attributes["parts"] = resourcev1.DeviceAttribute{IntValue: &n}
	}
	for key, value := range m.Capacity {
		if d.Capacity == nil {
			d.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{}
		}
		share := value.Quantity.DeepCopy()
		if parts > 1 {
			share.Set(share.Value() / int64(parts))
		}
		d.Capacity[resourcev1.QualifiedName(key)] = resourcev1.DeviceCapacity{Value: share}
	}
	yes := true
	if m.Binding {
		d.BindsToNode = &yes
		d.BindingConditions, d.BindingFailureConditions = []string{m.Driver + "/attached"}, []string{m.Driver + "/broken"}
	}
	if m.Shared {
		d.AllowMultipleAllocations = &yes
	}
	return d
}

var threeNumbers = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// attributeOf reads the value of an attribute: true or false, a whole number, a version of three numbers, or a text.
func attributeOf(text string) resourcev1.DeviceAttribute {
	if text == "true" || text == "false" {
		is := text == "true"
		return resourcev1.DeviceAttribute{BoolValue: &is}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return resourcev1.DeviceAttribute{IntValue: &n}
	}
	if threeNumbers.MatchString(text) {
		return resourcev1.DeviceAttribute{VersionValue: &text}
	}
	return resourcev1.DeviceAttribute{StringValue: &text}
}
