package allocations

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Case is what is to be allocated.
type Case struct {
	Features Features                    `json:"features"`
	Nodes    []*v1.Node                  `json:"nodes"`
	Claims   []*resourcev1.ResourceClaim `json:"claims"`
	Classes  []*resourcev1.DeviceClass   `json:"classes"`
	Slices   []*resourcev1.ResourceSlice `json:"slices"`
	Taken    Taken                       `json:"taken"`
	// Steps is how many steps each allocation may take; zero for no limit.
	Steps int64 `json:"steps,omitempty"`
}

// Features are the features of an allocator.
type Features struct {
	AdminAccess            bool `json:"adminAccess"`
	ConsumableCapacity     bool `json:"consumableCapacity"`
	DeviceBindingAndStatus bool `json:"deviceBindingAndStatus"`
	DeviceTaints           bool `json:"deviceTaints"`
	PartitionableDevices   bool `json:"partitionableDevices"`
	PrioritizedList        bool `json:"prioritizedList"`
}

// Taken are the devices that other claims have.
type Taken struct {
	Devices  []Device   `json:"devices,omitempty"`
	Shared   []Device   `json:"shared,omitempty"`
	Capacity []Consumed `json:"capacity,omitempty"`
}

// Device names a device.
type Device struct {
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	Device string `json:"device"`
}

// Consumed is the capacity of a device that claims have.
type Consumed struct {
	Device
	Capacity map[resourcev1.QualifiedName]resource.Quantity `json:"capacity"`
}

// Outcome is what was allocated on a node.
type Outcome struct {
	Results []resourcev1.AllocationResult `json:"results,omitempty"`
	Error   string                        `json:"error,omitempty"`
	// OnNode says that the error is about this node only, and Timeout that no steps were left.
	OnNode  bool `json:"onNode,omitempty"`
	Timeout bool `json:"timeout,omitempty"`
	// Panic says that the allocator panicked. No other node is asked then.
	Panic string `json:"panic,omitempty"`
	// Steps is how many steps were taken, each ten units of an expression's cost, or a part of them, as one.
	Steps int64 `json:"steps"`
}
