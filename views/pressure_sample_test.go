package views_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"orrery/views"
	"orrery/views/draw"
)

// At every width a blank separates a signal's bar from the numbers before it and from the threshold after it.
func TestPressure_BarTouchesNoText(t *testing.T) {
	m := sample(312, 60)
	m.Pressure.Signals[1].Available, m.Pressure.Signals[1].Capacity = "4194304000", "4194304000"
	m.Pressure.Signals[4].Threshold, m.Pressure.Signals[4].AvailableFraction = "12.3456789% for 1h30m0.5s", 1
	touches := regexp.MustCompile(`[\pL\pN%][━╸]|[━╸·][\pL\pN]|[━╸]·*[\pL\pN]`)
	for width := 60; width <= 240; width++ {
		for _, line := range strings.Split(screen(m, sampleState(views.PressurePane), size{width, 40}, draw.Braille).Plain(), "\n")[2:16] {
			if touches.MatchString(line) {
				t.Errorf("%d columns: %s", width, line)
			}
		}
	}
}

// samplePressure is a node under memory pressure with known usage.
func samplePressure() *views.Pressure {
	p := &views.Pressure{
		Node: "ip-10-0-4-69.internal", Conditions: []string{"MemoryPressure since 11:58:02"},
		Usage: "usage from the kubelet's summary", Known: true, At: ago(7 * time.Second),
		Thresholds: "thresholds: the kubelet's own", Warnings: []string{"found containerfs.available for hard eviction. ignoring"},
		RankedBy: "memory.available", KilledFirst: "if memory runs out first, the kernel kills ml/trainer-1-9c2e0 (main): oom_score 1084, adj 938",
		Signals: []views.PressureSignal{
			{Name: "memory.available", Available: "312Mi", Capacity: "64Gi", Threshold: "500Mi", AvailableFraction: 0.005, Measured: true, BelowThreshold: true},
			{Name: "nodefs.available", Available: "41.2Gi", Capacity: "100Gi", Threshold: "10%", AvailableFraction: 0.412, Measured: true},
			{Name: "nodefs.inodesFree", Available: "5921044", Capacity: "6553600", Threshold: "5%", AvailableFraction: 0.903, Measured: true},
			{Name: "imagefs.available", Available: "·", Capacity: "·", Threshold: "15%"},
			{Name: "memory.available", Available: "312Mi", Capacity: "64Gi", Threshold: "1Gi for 1m30s", AvailableFraction: 0.005, Measured: true, BelowThreshold: true},
		},
	}
	for i := range 14 {
		row := views.PressurePod{
			Rank: i + 1, Name: fmt.Sprintf("ml/trainer-%d-%05x", i, 0x9a3f1+i*7919), Priority: int32(i / 4 * 500), Measured: true,
			Usage: fmt.Sprintf("%d.4Gi", 9-i/2), Request: "4Gi", Excess: fmt.Sprintf("+%d.4Gi", max(5-i/2, 0)), Share: float64(9-i/2) / 8, Exceeds: i < 9,
		}
		if i >= 9 {
			row.Excess = "·"
		}
		p.Pods.Rows = append(p.Pods.Rows, row)
	}
	p.Pods.Rows[0].Measured, p.Pods.Rows[0].Usage, p.Pods.Rows[0].Excess, p.Pods.Rows[0].Share = false, "·", "·", 0
	p.Pods.Rows[13].ExcludedBecause, p.Pods.Rows[13].Priority, p.Pods.Rows[13].Name = "critical", 2000001000, "kube-system/kube-proxy-x2kqp"
	p.Pods.Total = len(p.Pods.Rows)
	return p
}

// sampleUnknown is samplePressure without permission to read the usage.
func sampleUnknown() *views.Pressure {
	p := samplePressure()
	p.Known, p.Usage = false, "no usage data: may not get nodes/proxy, and no metrics API is served"
	p.Rules, p.Thresholds = []string{"get nodes/proxy"}, "thresholds: the defaults, and this kubelet's may be others: may not get nodes/proxy"
	p.Warnings, p.RankedBy, p.UnrankedBecause = nil, "", "what the pods use is not known, so this is the order by requests and priority alone"
	p.KilledFirst = ""
	p.Next = "next: batch/etl-2lq8s: it requests no memory, so that any use exceeds its request"
	for i := range p.Signals {
		s := &p.Signals[i]
		s.Available, s.Capacity, s.AvailableFraction, s.Measured, s.BelowThreshold = "·", "·", 0, false, false
	}
	for i := range p.Pods.Rows {
		r := &p.Pods.Rows[i]
		r.Usage, r.Excess, r.Share, r.Measured, r.Exceeds = "·", "·", 0, false, false
	}
	return p
}
