package collect

import (
	"slices"
	"strconv"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
	"orrery/views"
)

// DeviceClaims are all claims for devices, those that pods name and do not exist, and implicit ones in flight.
func (s source) DeviceClaims() views.Rows[views.DeviceClaimRow] {
	x := &s.devices
	return views.Rows[views.DeviceClaimRow]{
		Stamp: x.stamp, Total: len(x.claims.list),
		Window: func(first, n int) []views.DeviceClaimRow {
			return rowsOf(x.claims.list[first:first+n], x.deviceClaimRow)
		},
		Lazy: lazyRows(&x.claims, x.deviceClaimRow, func(c *deviceClaim) views.DeviceClaimRow {
			row := views.DeviceClaimRow{Key: c.name.String(), State: views.DeviceClaimState(c.state), Since: timeOf(c.since)}
			if c.claim != nil {
				row.Labels, row.Words = c.claim.Labels, printable.Text(deviceNamesOf(c, len(c.results())))
				row.Requests = printable.Text(requestsOfClaim(c.claim))
				if row.Since.IsZero() {
					row.Since = c.claim.CreationTimestamp.Time
				}
			}
			if ref := x.podOf(c); ref.Name != "" {
				row.PodKey = ref.String()
			}
			return row
		}),
	}
}

func (x *deviceIndex) deviceClaimRow(c *deviceClaim) views.DeviceClaimRow {
	row := views.DeviceClaimRow{
		Name: printable.Text(claimName(c)), Key: c.name.String(), State: views.DeviceClaimState(c.state), Since: timeOf(c.since), Pods: len(x.users.pods[c.name]),
	}
	if ref := x.podOf(c); ref.Name != "" {
		row.Pod, row.PodKey = podNames(ref)
		row.Pods = max(row.Pods, 1)
		if pod := x.engine.Store().Pod(ref.Namespace, ref.Name); pod != nil {
			row.Priority = priorityOf(pod)
		}
	}
	row.Note = printable.Text(x.deviceClaimNote(c))
	if c.claim == nil {
		return row
	}
	if row.Since.IsZero() {
		row.Since = x.allocatedSince(c)
	}
	row.Labels, row.Requests, row.Devices = c.claim.Labels, printable.Text(requestsOfClaim(c.claim)), printable.Text(deviceNamesOf(c, maxHolders))
	row.Place = printable.Text(x.placesOf(c))
	return row
}

// deviceClaimNote returns what a claim waits for, or what is wrong.
func (x *deviceIndex) deviceClaimNote(c *deviceClaim) string {
	switch views.DeviceClaimState(c.state) {
	case views.DeviceClaimMissing:
		return "does not exist"
	case views.DeviceClaimPending:
		return framework.MainOf(world.PendingMessage(x.users.first(c.name))).String()
	case views.DeviceClaimUnallocated:
		switch {
		case c.claim == nil:
			return "is not made of its template yet"
		case x.users.first(c.name) == nil:
			return "no pod uses it"
		}
		return "gets its devices when its pod has a node"
	case views.DeviceClaimInFlight:
		return "decided, not written yet"
	case views.DeviceClaimTerminating:
		if c.claim.Status.Allocation != nil {
			return "waits for the pods that use it to end"
		}
		return "waits for " + strings.Join(c.claim.Finalizers, ", ")
	case views.DeviceClaimAllocated:
		return "no pod uses it"
	}
	for i, results := 0, c.results(); i < len(results); i++ {
		if note := x.resultNote(c, &results[i]); note != "" {
			return note
		}
	}
	return ""
}

// resultNote returns what is wrong with a device of a claim, or what it waits for.
func (x *deviceIndex) resultNote(c *deviceClaim, r *resourcev1.DeviceRequestAllocationResult) string {
	if condition := failure(c.claim, r); condition != nil {
		return r.Device + " failed: " + condition.Reason + " " + condition.Message
	}
	device := x.publishedDevice(resultID(r))
	if device == nil {
		return r.Device + " of pool " + r.Pool + " is not published by " + r.Driver
	}
	if taint := evictingTaint(device, r); taint != nil {
		return r.Device + " has the taint " + taintText(taint)
	}
	if waits := awaited(c.claim, r); len(waits) > 0 {
		return r.Device + " waits for " + strings.Join(waits, ", ")
	}
	return ""
}

// requestsOfClaim are a claim's requests: "2 of class a100", "2 of class h100 or a100".
func requestsOfClaim(claim *resourcev1.ResourceClaim) string {
	requests := make([]string, 0, len(claim.Spec.Devices.Requests))
	for i := range claim.Spec.Devices.Requests {
		r := &claim.Spec.Devices.Requests[i]
		if e := r.Exactly; e != nil {
			requests = append(requests, requestText(e.AllocationMode, e.Count, e.DeviceClassName))
			continue
		}
		var choices []string
		for j := range r.FirstAvailable {
			sub := &r.FirstAvailable[j]
			choices = append(choices, requestText(sub.AllocationMode, sub.Count, sub.DeviceClassName))
		}
		requests = append(requests, strings.Join(choices, " or "))
	}
	return strings.Join(requests, ", ")
}

func requestText(mode resourcev1.DeviceAllocationMode, count int64, class string) string {
	if mode == resourcev1.DeviceAllocationModeAll {
		return "all " + class
	}
	return strconv.FormatInt(count, 10) + " " + class
}

// deviceNamesOf names the devices of a claim, some of them if they are many.
func deviceNamesOf(c *deviceClaim, most int) string {
	results := c.results()
	names := make([]string, 0, most)
	for i := range results[:min(len(results), most)] {
		names = append(names, results[i].Device)
	}
	if more := len(results) - most; more > 0 {
		names = append(names, strconv.Itoa(more)+" more")
	}
	return strings.Join(names, ", ")
}

// placesOf are where a claim's devices are.
func (x *deviceIndex) placesOf(c *deviceClaim) string {
	if pod := x.users.first(c.name); pod != nil && pod.Spec.NodeName != "" && c.isReserved() {
		return pod.Spec.NodeName
	}
	var places []string
	for i, results := 0, c.results(); i < len(results); i++ {
		if !slices.Contains(places, results[i].Pool) {
			places = append(places, results[i].Pool)
		}
	}
	return strings.Join(places, ", ")
}
