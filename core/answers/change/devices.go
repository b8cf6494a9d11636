package change

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// deviceWords returns the words of a change of devices or of a claim for them.
func (c Change) deviceWords() []string {
	words := strings.Fields(syntaxes[c.Verb].verb)
	switch c.Verb {
	case AddDevice:
		words = append(words, "like", c.Name)
		if c.Node != "" {
			words = append(words, "on", c.Node)
		}
		return words
	case SetDeviceCount:
		words = append(words, c.Name, strconv.Itoa(c.Count))
	default:
		words = append(words, c.Name)
		if c.Value != "" {
			words = append(words, c.Value)
		}
	}
	if c.Of != "" {
		words = append(words, "of", c.Of)
	}
	return words
}

// parseAddDevice reads "like DEVICE", and perhaps "on NODE".
func (c *Change) parseAddDevice(words []string) error {
	if len(words) == 4 && words[2] == "on" {
		c.Node, words = words[3], words[:2]
	}
	if len(words) != 2 || words[0] != "like" {
		return errors.New(`"like DEVICE" should follow, and perhaps "on NODE"`)
	}
	return c.setDevice(words[1])
}

// setDevice reads POOL/DEVICE or DRIVER/POOL/DEVICE.
func (c *Change) setDevice(word string) error {
	if !strings.Contains(strings.Trim(word, "/"), "/") {
		return fmt.Errorf("%q is not a device: write POOL/DEVICE or DRIVER/POOL/DEVICE", word)
	}
	c.Name = word
	return nil
}

// parseDeviceTaint reads "DEVICE TAINT".
func (c *Change) parseDeviceTaint(words []string) error {
	var device string
	if err := parseExactly(words, &device, &c.Value); err != nil {
		return err
	}
	if err := c.setDevice(device); err != nil {
		return err
	}
	if c.Verb == UntaintDevice {
		key, effect, _ := strings.Cut(c.Value, ":")
		if key == "" || strings.Contains(key, "=") {
			return fmt.Errorf("%q is not the key of a taint", c.Value)
		}
		return checkDeviceEffect(effect, true)
	}
	_, err := parseDeviceTaint(c.Value)
	return err
}

// parseClaimChange reads "CLAIM", a value for most verbs, and perhaps "of REQUEST".
func (c *Change) parseClaimChange(words []string) error {
	if n := len(words); n > 2 && words[n-2] == "of" && c.Verb != FreeClaim && c.Verb != DropConstraint {
		c.Of, words = words[n-1], words[:n-2]
	}
	if c.Verb == FreeClaim || c.Verb == RelaxClaim {
		return parseExactly(words, &c.Name)
	}
	var value string
	if err := parseExactly(words, &c.Name, &value); err != nil {
		return err
	}
	if c.Verb == SetDeviceCount {
		return c.parseCount(value, 1, resourcev1.AllocationResultsMaxSize)
	}
	c.Value = value
	if c.Verb == TolerateDevices {
		_, err := parseDeviceToleration(value)
		return err
	}
	return nil
}

// parseDeviceTaint reads KEY=VALUE:EFFECT or KEY:EFFECT.
func parseDeviceTaint(text string) (resourcev1.DeviceTaint, error) {
	t, err := parseDeviceToleration(text)
	switch {
	case err != nil:
		return resourcev1.DeviceTaint{}, err
	case t.Effect == "":
		return resourcev1.DeviceTaint{}, fmt.Errorf("%q names no effect: end it with :NoSchedule or :NoExecute", text)
	}
	return resourcev1.DeviceTaint{Key: t.Key, Value: t.Value, Effect: t.Effect}, nil
}

// parseDeviceToleration reads KEY or KEY=VALUE, and then perhaps :EFFECT.
func parseDeviceToleration(text string) (resourcev1.DeviceToleration, error) {
	rest, effect, named := strings.Cut(text, ":")
	key, value, valued := strings.Cut(rest, "=")
	if key == "" {
		return resourcev1.DeviceToleration{}, fmt.Errorf("%q has no key", text)
	}
	t := resourcev1.DeviceToleration{Key: key, Operator: resourcev1.DeviceTolerationOpExists, Effect: resourcev1.DeviceTaintEffect(effect)}
	if valued {
		t.Operator, t.Value = resourcev1.DeviceTolerationOpEqual, value
	}
	return t, checkDeviceEffect(effect, !named)
}

func checkDeviceEffect(word string, mayMiss bool) error {
	switch resourcev1.DeviceTaintEffect(word) {
	case resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute:
		return nil
	}
	if word == "" && mayMiss {
		return nil
	}
	return fmt.Errorf("%q is not an effect of device taints: it is NoSchedule or NoExecute", word)
}

// AlterDeviceClaim changes what a claim requests, as if it had been created so. The claim must be the caller's own copy.
func (c Change) AlterDeviceClaim(claim *resourcev1.ResourceClaim) error {
	name := claim.Namespace + "/" + claim.Name
	if claim.Status.Allocation != nil {
		return fmt.Errorf("claim %q has devices: what it requests no longer matters; free it first", name)
	}
	if c.Verb == DropConstraint {
		return c.dropConstraint(claim)
	}
	if c.Verb == SetDeviceCount && c.Of == "" && countRequests(claim) > 1 {
		return fmt.Errorf("claim %q has several requests: end with \"of REQUEST\"", name)
	}
	found := false
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if e := request.Exactly; e != nil && (c.Of == "" || c.Of == request.Name) {
			found = true
			c.alterRequest(&e.DeviceClassName, &e.AllocationMode, &e.Count, &e.Selectors, &e.Tolerations)
		}
		for j := range request.FirstAvailable {
			if s := &request.FirstAvailable[j]; c.Of == "" || c.Of == request.Name || c.Of == request.Name+"/"+s.Name {
				found = true
				c.alterRequest(&s.DeviceClassName, &s.AllocationMode, &s.Count, &s.Selectors, &s.Tolerations)
			}
		}
	}
	if !found {
		return fmt.Errorf("claim %q has no request %q", name, c.Of)
	}
	return nil
}

// dropConstraint has the devices of a claim differ in an attribute, or be alike.
func (c Change) dropConstraint(claim *resourcev1.ResourceClaim) error {
	is := func(attribute *resourcev1.FullyQualifiedName) bool {
		return attribute != nil && string(*attribute) == c.Value
	}
	rest := slices.DeleteFunc(slices.Clone(claim.Spec.Devices.Constraints), func(constraint resourcev1.DeviceConstraint) bool {
		return is(constraint.MatchAttribute) || is(constraint.DistinctAttribute)
	})
	if len(rest) == len(claim.Spec.Devices.Constraints) {
		return fmt.Errorf("claim %q has no constraint on attribute %q", claim.Namespace+"/"+claim.Name, c.Value)
	}
	claim.Spec.Devices.Constraints = rest
	return nil
}

func countRequests(claim *resourcev1.ResourceClaim) int {
	n := 0
	for i := range claim.Spec.Devices.Requests {
		n += max(1, len(claim.Spec.Devices.Requests[i].FirstAvailable))
	}
	return n
}

func (c Change) alterRequest(class *string, mode *resourcev1.DeviceAllocationMode, count *int64, selectors *[]resourcev1.DeviceSelector, tolerations *[]resourcev1.DeviceToleration) {
	switch c.Verb {
	case SetDeviceClass:
		*class = c.Value
	case SetDeviceCount:
		*mode, *count = resourcev1.DeviceAllocationModeExactCount, int64(c.Count)
	case RelaxClaim:
		*selectors = nil
	case TolerateDevices:
		if t, err := parseDeviceToleration(c.Value); err == nil {
			*tolerations = append(*tolerations, t)
		}
	}
}

// AlterSlices makes a change of devices: it returns a changed copy of the slice that has the device, or for a device on another
// node perhaps a new slice, which has no UID.
func (c Change) AlterSlices(all []*resourcev1.ResourceSlice, now metav1.Time) (*resourcev1.ResourceSlice, error) {
	slice, at, err := c.findDevice(all)
	if err != nil {
		return nil, err
	}
	if c.Verb == AddDevice {
		return c.withDevice(all, slice, at), nil
	}
	changed := slice.DeepCopy()
	device := &changed.Spec.Devices[at]
	if c.Verb == TaintDevice {
		t, err := parseDeviceTaint(c.Value)
		if err != nil {
			return nil, err
		}
		t.TimeAdded = &now
		device.Taints = append(slices.DeleteFunc(device.Taints, func(had resourcev1.DeviceTaint) bool {
			return had.Key == t.Key && had.Effect == t.Effect
		}), t)
		return changed, nil
	}
	key, effect, _ := strings.Cut(c.Value, ":")
	before := len(device.Taints)
	device.Taints = slices.DeleteFunc(device.Taints, func(had resourcev1.DeviceTaint) bool {
		return had.Key == key && (effect == "" || string(had.Effect) == effect)
	})
	if len(device.Taints) == before {
		return nil, fmt.Errorf("device %q has no taint %q of its own", c.Name, c.Value)
	}
	return changed, nil
}

// findDevice finds the device of the change in the newest generation of its pool.
func (c Change) findDevice(all []*resourcev1.ResourceSlice) (*resourcev1.ResourceSlice, int, error) {
	var found *resourcev1.ResourceSlice
	at := 0
	for _, slice := range all {
		pool := slice.Spec.Pool.Name
		for i := range slice.Spec.Devices {
			name := pool + "/" + slice.Spec.Devices[i].Name
			if name != c.Name && slice.Spec.Driver+"/"+name != c.Name {
				continue
			}
			switch {
			case found == nil || found.Spec.Driver == slice.Spec.Driver && found.Spec.Pool.Generation < slice.Spec.Pool.Generation:
				found, at = slice, i
			case found.Spec.Driver != slice.Spec.Driver:
				return nil, 0, fmt.Errorf("several drivers have a device %q: write DRIVER/%s", c.Name, c.Name)
			}
		}
	}
	if found == nil {
		return nil, 0, fmt.Errorf("there is no device %q", c.Name)
	}
	return found, at, nil
}

// withDevice returns the slice with one more device like one that it has, or that of the driver on the node with one like it.
// The new device is not tainted, and is no part of another.
func (c Change) withDevice(all []*resourcev1.ResourceSlice, model *resourcev1.ResourceSlice, at int) *resourcev1.ResourceSlice {
	changed := model.DeepCopy()
	twin := *changed.Spec.Devices[at].DeepCopy()
	twin.Taints, twin.ConsumesCounters = nil, nil
	if c.Node != "" && (model.Spec.NodeName == nil || *model.Spec.NodeName != c.Node) {
		twin.NodeName, twin.NodeSelector, twin.AllNodes = nil, nil, nil
		changed = c.sliceOn(all, model)
	}
	name := twin.Name + "-new"
	for slices.ContainsFunc(changed.Spec.Devices, func(d resourcev1.Device) bool { return d.Name == name }) {
		name += "1"
	}
	twin.Name = name
	changed.Spec.Devices = append(changed.Spec.Devices, twin)
	return changed
}

// sliceOn returns a copy of a slice that the driver has on the node, or a new one in a pool of the node's name.
func (c Change) sliceOn(all []*resourcev1.ResourceSlice, model *resourcev1.ResourceSlice) *resourcev1.ResourceSlice {
	for _, slice := range all {
		if slice.Spec.NodeName != nil && *slice.Spec.NodeName == c.Node && slice.Spec.Driver == model.Spec.Driver && len(slice.Spec.SharedCounters) == 0 {
			return slice.DeepCopy()
		}
	}
	return &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: c.Node + "-" + model.Spec.Driver + "-new"},
		Spec: resourcev1.ResourceSliceSpec{
			Driver: model.Spec.Driver, NodeName: &c.Node, Pool: resourcev1.ResourcePool{Name: c.Node, Generation: 1, ResourceSliceCount: 1},
		},
	}
}

// SlicesLike returns the slices of a new node like the model: those that the model alone reaches, with its name replaced, and
// their devices without taints.
func SlicesLike(all []*resourcev1.ResourceSlice, model *v1.Node, name string) []*resourcev1.ResourceSlice {
	var made []*resourcev1.ResourceSlice
	for _, slice := range all {
		if slice.Spec.NodeName == nil || *slice.Spec.NodeName != model.Name {
			continue
		}
		twin := slice.DeepCopy()
		twin.ObjectMeta = metav1.ObjectMeta{Name: renamed(slice.Name, model.Name, name)}
		twin.Spec.NodeName, twin.Spec.Pool.Name = &name, renamed(slice.Spec.Pool.Name, model.Name, name)
		for i := range twin.Spec.Devices {
			twin.Spec.Devices[i].Taints = nil
		}
		made = append(made, twin)
	}
	return made
}

// renamed replaces the model's name in that of something of it, or adds the new one.
func renamed(of, model, name string) string {
	if strings.Contains(of, model) {
		return strings.Replace(of, model, name, 1)
	}
	return of + "-" + name
}
