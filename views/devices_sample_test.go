package views_test

import (
	"fmt"
	"time"

	"orrery/views"
)

// sampleDevices are nodes with eight large devices each, with shared, divided and other ones, and a fabric of many.
func sampleDevices() *views.Devices {
	v := &views.Devices{Pools: 35, Places: 34, MoreModels: 2}
	v.Count = [len(v.Count)]int{1, 2, 3, 1, 61, 9, 6, 2, 44, 4}
	v.Claims = [len(v.Claims)]int{1, 1, 2, 1, 7, 1, 1, 3, 2, 4, 81}
	v.Models = []views.DeviceModel{
		{Name: "NVIDIA H100 80GB HBM3", Count: [len(v.Count)]int{1, 1, 3, 0, 41, 0, 0, 2, 16, 0}, Used: 47, MostFree: 2, MostFreeOn: "ip-10-0-3-85.internal", Places: 8},
		{Name: "a100", Count: [len(v.Count)]int{0, 1, 0, 0, 12, 9, 6, 0, 24, 0}, Used: 18.25, MostFree: 4, MostFreeOn: "ip-10-0-7-17.internal", Places: 13},
		{Name: "nic", Count: [len(v.Count)]int{0, 0, 0, 1, 8, 0, 0, 0, 4, 4}, Used: 9, MostFree: 4, MostFreeOn: "zone=eu-west-1a", Places: 1},
	}
	for i := range 34 {
		row := views.DeviceRow{
			Key: fmt.Sprint("row-", i), Driver: "gpu.example.com", Model: "NVIDIA H100 80GB HBM3", Place: fmt.Sprintf("ip-10-0-%d-%d.internal", i, 17+i*13%230), Of: 8,
			Holders: "ml/trainer-large ×6, ml/notebook-5kx2v",
		}
		row.Pool, row.NodeKey = row.Place, row.Place
		devices := 8
		if i%3 == 2 {
			row.Model, devices, row.Of, row.Holders = "a100", 4, 4, "shop/search ×5, shop/chat ×2"
		}
		for j := range devices {
			row.Devices = append(row.Devices, sampleDevice(i, j))
			row.Count[row.Devices[j].State]++
		}
		v.List.Rows = append(v.List.Rows, row)
	}
	fabric := views.DeviceRow{Key: "fabric", Driver: "nic.example.com", Pool: "fabric/fast", Model: "nic", Place: "zone=eu-west-1a", From: 32, Of: 48, Note: "incomplete: 1 slice not published"}
	for range 16 {
		fabric.Devices = append(fabric.Devices, views.Device{Name: "nic-7", State: views.DeviceIncomplete})
	}
	fabric.Count[views.DeviceIncomplete] = 16
	v.List.Rows[5], v.List.Total = fabric, 35
	v.ClaimList = sampleDeviceClaims()
	return v
}

func sampleDevice(node, i int) views.Device {
	d := views.Device{Name: fmt.Sprintf("h100-%d", i), State: views.DeviceReserved, Facts: "memory 80Gi", Share: 1, Claims: 1}
	d.Holders = []views.DeviceHolder{{
		Claim: fmt.Sprintf("ml/trainer-large-%05x-gpus-2gnfr", 0x3a1f0+node*4421), Pod: fmt.Sprintf("ml/trainer-large-%05x", 0x3a1f0+node*4421), Pods: 1, Priority: 1000, Since: ago(42 * time.Minute),
	}}
	switch {
	case node%3 == 2 && i < 2:
		d.Name, d.State, d.Share, d.Claims = fmt.Sprintf("a100-%d", i), views.DeviceShared, float64(1+node%8)/8, 5
		d.Holders = append(d.Holders, views.DeviceHolder{Claim: "shop/search-5c9b8f4d77-2gnfr-gpu-xv4k2", Pod: "shop/search-5c9b8f4d77-2gnfr", Pods: 2, Part: "memory 20Gi of 80Gi", Since: ago(time.Minute)})
	case node%3 == 2 && i == 2:
		d.Name, d.State, d.Share = "a100-2", views.DevicePartitioned, float64(1+node%4)/4
	case node == 0 && i == 0:
		d.State, d.Taints, d.Tainted = views.DeviceEvicting, "gpu.example.com/failed:NoExecute by its driver", ago(4*time.Second)
	case node == 0 && i == 7, node == 7 && i == 1:
		d.State, d.Taints, d.Tainted = views.DeviceTainted, "maintenance=rack-7:NoSchedule by rule drain-rack-7", ago(2*time.Hour)
		d.Holders, d.Claims = nil, 0
	case node == 1 && i < 3:
		d.State, d.Holders[0].Note = views.DeviceInFlight, "not written yet"
	case node == 3 && i == 0:
		d.State, d.Holders[0].Note = views.DeviceBinding, "waits for gpu.example.com/attached"
	case node == 3 && i < 3:
		d.State, d.Holders[0].Pod = views.DeviceAllocated, ""
	case i >= 6-node%3:
		d.State, d.Holders, d.Claims, d.Share = views.DeviceFree, nil, 0, 0
	}
	return d
}

func sampleDeviceClaims() views.List[views.DeviceClaimRow] {
	notes := [...]string{
		"h100-3 failed: AttachError no answer", "h100-1 of pool ip-10-0-3-85.internal is not published by gpu.example.com", "h100-0 has the taint gpu.example.com/failed:NoExecute",
		"does not exist", "19 cannot allocate all claims", "h100-0 waits for gpu.example.com/attached", "waits for the pods that use it to end", "decided, not written yet",
		"gets its devices when its pod has a node", "no pod uses it", "",
	}
	list := views.List[views.DeviceClaimRow]{Total: 104}
	for i := range 40 {
		state := min(views.DeviceClaimState(i), views.DeviceClaimReserved)
		row := views.DeviceClaimRow{
			Name: fmt.Sprintf("ml/trainer-large-%05x-gpus-2gnfr", 0x3a1f0+i*4421), Key: fmt.Sprint("ml/claim-", i), State: state, Since: ago(time.Duration(i*i+7) * 3 * time.Second),
			Requests: "6 h100", Pod: fmt.Sprintf("ml/trainer-large-%05x", 0x3a1f0+i*4421), Pods: 1 + i%2, Priority: 1000, Note: notes[state],
		}
		if state == views.DeviceClaimReserved || state < views.DeviceClaimMissing {
			row.Devices, row.Place = "h100-0, h100-1, h100-2, h100-3, h100-4, h100-5", fmt.Sprintf("ip-10-0-%d-85.internal", i)
		}
		list.Rows = append(list.Rows, row)
	}
	return list
}

// useHostileDevices replaces every name with a hostile one.
func useHostileDevices(name func() string, v *views.Devices) {
	for i := range v.Models {
		v.Models[i].Name, v.Models[i].MostFreeOn = name(), name()
	}
	for i := range v.List.Rows {
		r := &v.List.Rows[i]
		r.Place, r.Driver, r.Pool, r.Model, r.Note, r.Holders = name(), name(), name(), name(), name(), name()
		d := &r.Devices[i%len(r.Devices)]
		d.Name, d.Facts, d.Taints = name(), name(), name()
		d.Holders = []views.DeviceHolder{{Claim: name(), Pod: name(), Part: name(), Note: name()}, {Claim: name(), Note: name()}}
	}
	for i := range v.ClaimList.Rows {
		c := &v.ClaimList.Rows[i]
		c.Name, c.Requests, c.Devices, c.Place, c.Pod, c.Note = name(), name(), name(), name(), name(), name()
	}
}
