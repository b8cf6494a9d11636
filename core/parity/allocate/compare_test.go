package allocate

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle/allocations"
	"orrery/core/scheduler/devices/allocate"
	"orrery/core/scheduler/release"
)

// TestAllocate_SameDevices compares with the allocators of the release that is linked.
func TestAllocate_SameDevices(t *testing.T) {
	compareRelease(t, release.V137, func(c *allocations.Case) ([]allocations.Outcome, error) { return allocations.Allocate(c), nil })
}

// TestAllocate_SameDevicesInReleases compares with the allocators of earlier releases.
func TestAllocate_SameDevicesInReleases(t *testing.T) {
	for _, r := range []release.Release{release.V135, release.V136} {
		t.Run(r.String(), func(t *testing.T) { compareRelease(t, r, startAllocator(t, r).Allocate) })
	}
}

type ask func(*allocations.Case) ([]allocations.Outcome, error)

func compareRelease(t *testing.T, r release.Release, ask ask) {
	seen := difftest.Coverage{}
	n := difftest.Check(t, comparisons.Allocations.Cases, func(s *difftest.Source) {
		c := draw(s)
		theirs, err := ask(copyOf(c))
		if err != nil {
			t.Fatal(err)
		}
		ours := allocateHere(copyOf(c), r)
		for i := range theirs {
			count(seen, &theirs[i])
			if theirs[i].Panic != "" {
				if !excused(c, &ours[i]) {
					s.Fatalf("%s on node %s: the allocator panicked (%s), which was not expected; ours: %+v\n%s", r, c.Nodes[i].Name, theirs[i].Panic, ours[i], difftest.JSON(c))
				}
				return
			}
			if hasBadPolicy(c) && strings.Contains(ours[i].Error, "has a step without a minimum") {
				seen.Count("another capacity came first, by the order of a map")
				return
			}
			if diff := cmp.Diff(plain(theirs[i]), plain(ours[i])); diff != "" {
				s.Fatalf("%s on node %s (-theirs +ours):\n%s\n%s", r, c.Nodes[i].Name, diff, difftest.JSON(c))
			}
		}
	})
	seen.Require(t, n, "allocated", "none", "failed", "failed on the node", "timed out", "shared parts", "several claims", "panicked", "bound to a node", "configured", "alternatives")
}

// plain is an outcome as JSON has it, so that quantities compare by their value and format.
func plain(o allocations.Outcome) string {
	o.Error = printedDevice.ReplaceAllString(o.Error, "for device DEVICE in slice")
	text, err := json.MarshalIndent(o, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// printedDevice is a device in an error, which the allocators print with the addresses of its fields.
var printedDevice = regexp.MustCompile(`for device .* in slice`)

// excused reports whether Orrery refuses what the allocator panics on.
func excused(c *allocations.Case, ours *allocations.Outcome) bool {
	for _, of := range []string{"the allocator failed", "no CEL expression", "has a step without a minimum", "add up to", "missing device class name"} {
		if strings.Contains(ours.Error, of) {
			return true
		}
	}
	return hasBadPolicy(c) // the order of a map decides whether the allocator looks at it
}

func count(seen difftest.Coverage, o *allocations.Outcome) {
	switch {
	case o.Panic != "":
		seen.Count("panicked")
	case o.Timeout:
		seen.Count("timed out")
	case o.OnNode:
		seen.Count("failed on the node")
	case o.Error != "":
		seen.Count("failed")
	case o.Results == nil:
		seen.Count("none")
	default:
		seen.Count("allocated")
	}
	if len(o.Results) > 1 {
		seen.Count("several claims")
	}
	for i := range o.Results {
		if o.Results[i].NodeSelector != nil {
			seen.Count("bound to a node")
		}
		if len(o.Results[i].Devices.Config) > 0 {
			seen.Count("configured")
		}
		for _, d := range o.Results[i].Devices.Results {
			if d.ShareID != nil {
				seen.Count("shared parts")
			}
			if strings.Contains(d.Request, "/") {
				seen.Count("alternatives")
			}
		}
	}
}

// copyOf returns a case as another process would read it.
func copyOf(c *allocations.Case) *allocations.Case {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	read := &allocations.Case{}
	if err := json.Unmarshal(text, read); err != nil {
		panic(err)
	}
	return read
}

// selectors are kept from case to case, as the plugin keeps them from pod to pod.
var selectors = map[allocate.Features]*allocate.Selectors{}

// allocateHere allocates with Orrery's allocator.
func allocateHere(c *allocations.Case, r release.Release) []allocations.Outcome {
	features := allocate.Features{
		AdminAccess: c.Features.AdminAccess, PrioritizedList: c.Features.PrioritizedList, PartitionableDevices: c.Features.PartitionableDevices,
		DeviceTaints: c.Features.DeviceTaints, DeviceBindingAndStatus: c.Features.DeviceBindingAndStatus, ConsumableCapacity: c.Features.ConsumableCapacity,
		Rules: allocate.RulesIn(r),
	}
	if selectors[features] == nil {
		selectors[features] = allocate.NewSelectors(features)
	}
	allocator := allocate.New(allocate.Source{
		Features: features, Taken: takenOf(&c.Taken), Classes: classes(c.Classes), Slices: allocate.PrepareAll(c.Slices), Selectors: selectors[features],
	})
	var all []allocations.Outcome
	for _, node := range c.Nodes {
		left := c.Steps
		if left == 0 {
			left = math.MaxInt64
		}
		limit := &allocate.Limit{Left: left}
		results, err := allocator.Allocate(context.Background(), limit, node, c.Claims)
		o := allocations.Outcome{Results: results, Steps: left - limit.Left}
		switch {
		case errors.Is(err, allocate.ErrOutOfSteps):
			o.Timeout = true
		case err != nil:
			o.Error, o.OnNode = err.Error(), errors.Is(err, allocate.ErrOnNode)
		}
		all = append(all, o)
	}
	return all
}

func takenOf(t *allocations.Taken) allocate.Taken {
	id := func(d allocations.Device) allocate.DeviceID { return allocate.MakeDeviceID(d.Driver, d.Pool, d.Device) }
	taken := allocate.Taken{Devices: map[allocate.DeviceID]struct{}{}, Shared: map[allocate.DeviceID]struct{}{}, Capacity: allocate.Parts{}}
	for _, d := range t.Devices {
		taken.Devices[id(d)] = struct{}{}
	}
	for _, d := range t.Shared {
		taken.Shared[id(d)] = struct{}{}
	}
	for _, d := range t.Capacity {
		taken.Capacity.Insert(id(d.Device), d.Capacity)
	}
	return taken
}

// classes finds classes by name.
type classes []*resourcev1.DeviceClass

func (c classes) Get(name string) (*resourcev1.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, allocations.NoClass(name)
}
