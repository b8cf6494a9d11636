package views

import (
	"time"

	"orrery/themes"
)

// Devices are the cluster's devices, and the claims for them.
type Devices struct {
	// Reading means that not everything was read: the next model has more.
	Reading bool
	// Count counts the devices by state, Claims the claims. A device that is divided into partitions is one.
	Count  [deviceStates]int
	Claims [deviceClaimStates]int
	// Pools and Places are how many pools and places of them there are.
	Pools, Places int
	// Models are the models with the most devices; the MoreModels are left out.
	Models     []DeviceModel
	MoreModels int
	List       List[DeviceRow]
	ClaimList  List[DeviceClaimRow]
}

// all is how many devices there are.
func (d *Devices) all() int {
	all := 0
	for _, n := range d.Count {
		all += n
	}
	return all
}

// DeviceState is what a device is to the scheduler.
type DeviceState uint8

// The states, the worst first. An evicting device has a taint that evicts its pods, a tainted one gets no new claims. A claim
// has an allocated device, and pods use a reserved one. An incomplete pool has slices that are not published yet: its free devices
// are not allocated.
const (
	DeviceEvicting DeviceState = iota
	DeviceTainted
	DeviceInFlight
	DeviceBinding
	DeviceReserved
	DeviceShared
	DevicePartitioned
	DeviceAllocated
	DeviceFree
	DeviceIncomplete

	deviceStates
)

var deviceStyles = [deviceStates]glyphStyle{
	DeviceEvicting:    {'✗', "evicting", "evicts", themes.Bad},
	DeviceTainted:     {'⊘', "tainted", "tainted", themes.Warn},
	DeviceInFlight:    {'➤', "in flight", "flight", themes.InFlight},
	DeviceBinding:     {'◇', "binding", "binding", themes.Backoff},
	DeviceReserved:    {'●', "reserved", "in use", themes.Active},
	DeviceShared:      {'▄', "shared", "shared", themes.Nominated},
	DevicePartitioned: {'◑', "partitioned", "split", themes.Accent},
	DeviceAllocated:   {'◌', "allocated", "alloc.", themes.Gated},
	DeviceFree:        {'○', "free", "free", themes.Good},
	DeviceIncomplete:  {'·', "incomplete", "partial", themes.Dim},
}

func (s DeviceState) style() *glyphStyle { return &deviceStyles[s] }

// Word returns the state's name.
func (s DeviceState) Word() string { return deviceStyles[s].word }

// InUse reports whether a claim has the device, or a part of it.
func (s DeviceState) InUse() bool {
	return s == DeviceEvicting || s >= DeviceInFlight && s <= DeviceAllocated
}

// DeviceModel is what there is of a model.
type DeviceModel struct {
	Name, Driver string
	Count        [deviceStates]int
	// Used is how many devices are in use, parts of them counted as parts.
	Used float64
	// MostFree is how many are free on the place that has the most, MostFreeOn, of Places.
	MostFree   int
	MostFreeOn string
	Places     int
}

// All is how many devices of the model there are.
func (m *DeviceModel) All() int {
	all := 0
	for _, n := range m.Count {
		all += n
	}
	return all
}

// DeviceRow are devices of a pool, at most [RowDevices] of one place.
type DeviceRow struct {
	Key, Driver, Pool, Model string
	// Place is the node that reaches the devices, of the name NodeKey, or a word for several.
	Place, NodeKey string
	// From is the first device's number in the place, from 0 on, and Of how many devices are there.
	From, Of int
	Count    [deviceStates]int
	Devices  []Device
	// Note explains why devices of the pool are not allocated, and Holders which pods have devices.
	Note, Holders string
	// Pods are all pods that have any, for filters.
	Pods string
}

// RowDevices is how many devices a row has at most.
const RowDevices = 16

// Device is one device, or one that is divided into partitions.
type Device struct {
	Name  string
	State DeviceState
	// Share is the allocated part of a device that is shared or partitioned, from 0 to 1.
	Share float64
	// Facts are its capacity, its partitions and the like. Taints are with who put them there, the oldest since Tainted.
	Facts, Taints string
	Tainted       time.Time
	// Holders are the first claims that have the device, Claims is how many have it.
	Holders []DeviceHolder
	Claims  int
	// SliceKey is the name of the slice that publishes it.
	SliceKey string
}

// DeviceHolder is a claim that has a device.
type DeviceHolder struct {
	Claim, ClaimKey string
	// Pod is the first pod of Pods that the claim is reserved for, or that names it.
	Pod, PodKey string
	Pods        int
	Priority    int32
	// Part is what the claim has of the device; empty for all of it.
	Part string
	// Note describes what is unusual: that the claim is not written yet, waits for conditions, or has admin access.
	Note  string
	Since time.Time
}

// DeviceClaimState is what a claim for devices is, and what it waits for.
type DeviceClaimState uint8

// The states, the worst first. A failed claim has a device whose driver says so, a lost one a device that is not published, and
// an evicting one a device with a taint that evicts its pods. A missing one is named by a pod and does not exist. The pod of a
// pending claim was rejected; an unallocated one waits for a pod, or for its turn. A binding one waits for its driver, and no pod
// uses an allocated one.
const (
	DeviceClaimFailed DeviceClaimState = iota
	DeviceClaimLost
	DeviceClaimEvicting
	DeviceClaimMissing
	DeviceClaimPending
	DeviceClaimBinding
	DeviceClaimTerminating
	DeviceClaimInFlight
	DeviceClaimUnallocated
	DeviceClaimAllocated
	DeviceClaimReserved

	deviceClaimStates
)

var deviceClaimStyles = [deviceClaimStates]glyphStyle{
	DeviceClaimFailed:      {'☠', "failed", "failed", themes.Bad},
	DeviceClaimLost:        {'◆', "lost", "lost", themes.Bad},
	DeviceClaimEvicting:    {'✗', "evicting", "evicts", themes.Bad},
	DeviceClaimMissing:     {'○', "missing", "missing", themes.Bad},
	DeviceClaimPending:     {'⊘', "pending", "pending", themes.Warn},
	DeviceClaimBinding:     {'◔', "binding", "binding", themes.Backoff},
	DeviceClaimTerminating: {'▼', "terminating", "term.", themes.Terminating},
	DeviceClaimInFlight:    {'➤', "in flight", "flight", themes.InFlight},
	DeviceClaimUnallocated: {'·', "unallocated", "delayed", themes.Dim},
	DeviceClaimAllocated:   {'◌', "allocated", "alloc.", themes.Gated},
	DeviceClaimReserved:    {'●', "reserved", "in use", themes.Active},
}

func (s DeviceClaimState) style() *glyphStyle { return &deviceClaimStyles[s] }

// Word returns the state's name.
func (s DeviceClaimState) Word() string { return deviceClaimStyles[s].word }

// DeviceClaimRow is one claim for devices.
type DeviceClaimRow struct {
	Name, Key string
	State     DeviceClaimState
	// Since is when the claim came into its state, as far as that is known.
	Since time.Time
	// Requests are what it requests, Devices what it has, at Place.
	Requests, Devices, Place string
	// Pod uses the claim, or names it; Pods is how many do.
	Pod, PodKey string
	Pods        int
	Priority    int32
	// Note describes what the claim waits for, or what is wrong; of a pending one, why its pod was rejected.
	Note   string
	Labels map[string]string
	// Words are for filters.
	Words string
}
