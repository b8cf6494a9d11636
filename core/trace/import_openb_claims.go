package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// OpenBDriver is the driver of the devices that openb's GPUs become, and the name of their class.
//
// A node has a ResourceSlice of them, in a pool of its name. Each has the attribute model, and thousandths of a GPU as its
// capacity, milli, of which several claims can have a part. A pod has a claim of its own: num_gpu devices as a whole, or,
// if gpu_milli is less than 1000, gpu_milli of each. A selector requires one of the models that the pod names.
const OpenBDriver = "gpu.openb.example"

const (
	modelAttribute = "model"
	milliCapacity  = "milli"
	// sharingGate is the gate that shared devices need.
	sharingGate = "DRAConsumableCapacity"
	// openbWhole is a whole GPU in thousandths.
	openbWhole = 1000
)

// What a device and a claim take in memory, at most.
const (
	openbDeviceMemory = 512
	openbClaimMemory  = 3 << 10
)

// openbDevices writes GPUs as devices, and demands for them as claims.
type openbDevices struct {
	slices []world.Object
	// ofModel are the devices of nodes with as many GPUs of a model, which share the list.
	ofModel map[openbCards][]resourcev1.Device
}

// openbCards are the GPUs of a node.
type openbCards struct {
	model string
	count int64
}

func newOpenBDevices() *openbDevices {
	return &openbDevices{ofModel: map[openbCards][]resourcev1.Device{}}
}

func (d *openbDevices) lists() []world.Listed {
	class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: OpenBDriver, UID: OpenBDriver}}
	class.Spec.Selectors = celSelector(fmt.Sprintf("device.driver == %q", OpenBDriver))
	return []world.Listed{
		{Kind: world.DeviceClass, Objects: []world.Object{class}},
		{Kind: world.ResourceSlice, Objects: d.slices},
	}
}

func celSelector(expression string) []resourcev1.DeviceSelector {
	return []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}}
}

func (d *openbDevices) addTo(r *tableRow, node *v1.Node) {
	cards := openbCards{r.text("model"), r.number("gpu")}
	if cards.count == 0 {
		return
	}
	devices, known := d.ofModel[cards]
	if !known {
		devices = openbDevicesOf(r, cards)
		d.ofModel[cards] = devices
	}
	slice := &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name, UID: "slice-" + node.UID, CreationTimestamp: node.CreationTimestamp},
		Spec: resourcev1.ResourceSliceSpec{
			Driver: OpenBDriver, NodeName: &node.Name, Devices: devices,
			Pool: resourcev1.ResourcePool{Name: node.Name, Generation: 1, ResourceSliceCount: 1},
		},
	}
	d.slices = append(d.slices, slice)
}

func openbDevicesOf(r *tableRow, cards openbCards) []resourcev1.Device {
	if cards.count > resourcev1.ResourceSliceMaxDevices {
		r.fail("gpu", fmt.Errorf("%d devices are more than a ResourceSlice has, which are %d", cards.count, resourcev1.ResourceSliceMaxDevices))
		return nil
	}
	checkModel(r, "model", cards.model)
	if r.spend(cards.count * openbDeviceMemory); r.err != nil {
		return nil
	}
	shared := true
	device := resourcev1.Device{
		Attributes:               map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{modelAttribute: {StringValue: &cards.model}},
		Capacity:                 map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{milliCapacity: {Value: *resource.NewQuantity(openbWhole, resource.DecimalSI)}},
		AllowMultipleAllocations: &shared,
	}
	devices := make([]resourcev1.Device, cards.count)
	for i := range devices {
		devices[i] = device
		devices[i].Name = "gpu-" + strconv.Itoa(i)
	}
	return devices
}

// checkModel rejects a model that is no value of an attribute.
func checkModel(r *tableRow, column, model string) {
	if len(model) > resourcev1.DeviceAttributeMaxValueLength || !utf8.ValidString(model) {
		r.fail(column, fmt.Errorf("%q is no value of a device's attribute: that is a text of at most %d bytes", model, resourcev1.DeviceAttributeMaxValueLength))
	}
}

func (d *openbDevices) requestIn(r *tableRow, pod *v1.Pod) world.Object {
	count, share := r.number("num_gpu"), r.number("gpu_milli")
	switch {
	case count == 0 || share == 0:
		return nil
	case count > resourcev1.AllocationResultsMaxSize:
		r.fail("num_gpu", fmt.Errorf("%d devices are more than a claim has, which are %d", count, resourcev1.AllocationResultsMaxSize))
	case share > openbWhole:
		r.fail("gpu_milli", fmt.Errorf("%d is more than a GPU, which has %d", share, openbWhole))
	}
	request := resourcev1.ExactDeviceRequest{
		DeviceClassName: OpenBDriver, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count, Selectors: openbSelectors(r),
	}
	if share < openbWhole {
		request.Capacity = &resourcev1.CapacityRequirements{
			Requests: map[resourcev1.QualifiedName]resource.Quantity{milliCapacity: *resource.NewQuantity(share, resource.DecimalSI)},
		}
	}
	if r.spend(openbClaimMemory); r.err != nil {
		return nil
	}
	name := pod.Name + "-gpu"
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &name}}
	pod.Spec.Containers[0].Resources.Claims = []v1.ResourceClaim{{Name: "gpu"}}
	return &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: name, UID: types.UID("claim-" + name), CreationTimestamp: pod.CreationTimestamp},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
			Requests: []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &request}},
		}},
	}
}

// openbSelectors select the models that a pod names; none selects all.
func openbSelectors(r *tableRow) []resourcev1.DeviceSelector {
	text := r.text("gpu_spec")
	if text == "" {
		return nil
	}
	models := strings.Split(text, "|")
	for i, model := range models {
		checkModel(r, "gpu_spec", model)
		models[i] = strconv.Quote(model)
	}
	expression := fmt.Sprintf("device.attributes[%q].%s in [%s]", OpenBDriver, modelAttribute, strings.Join(models, ", "))
	if len(expression) > resourcev1.CELSelectorExpressionMaxLength {
		r.fail("gpu_spec", errors.New("it names more models than a selector can"))
	}
	return celSelector(expression)
}
