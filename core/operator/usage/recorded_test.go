package usage_test

import (
	"strings"
	"testing"
	"time"

	"orrery/core/evict/pressure"
	"orrery/core/operator/usage"
	"orrery/core/trace"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// A recording's readings are as a kubelet's: with its thresholds, and checked.
func TestRecorded(t *testing.T) {
	amount := func(n uint64) *uint64 { return &n }
	of := func(m pressure.MemoryStats) trace.Record {
		return trace.Record{At: noon, Body: trace.Usage{Node: "n1", Summary: pressure.Summary{
			Node: pressure.NodeStats{Memory: &m},
			Pods: []pressure.PodStats{{Volumes: []pressure.VolumeStats{{Name: "data", FsStats: pressure.FsStats{CapacityBytes: amount(1 << 60), UsedBytes: amount(1)}}}}},
		}}}
	}
	header := trace.Header{Kubelet: []byte(`{"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration","evictionHard":{"memory.available":"1Gi"}}`)}
	plausible := of(pressure.MemoryStats{AvailableBytes: amount(1 << 29), WorkingSetBytes: amount(1 << 33)})
	for _, tt := range []struct {
		name   string
		header trace.Header
		record trace.Record
		text   string // what is said of the source
		hard   string // the threshold of memory
	}{
		{"as it was measured", header, plausible, "usage from the kubelet's summary", "1Gi"},
		{"not measured yet", header, trace.Record{}, "no usage data: the recording has none of this node yet", "1Gi"},
		{
			"more than a machine has", header, of(pressure.MemoryStats{AvailableBytes: amount(1 << 60)}),
			"no usage data: what was recorded makes no sense: the node's memory is said to be 1152921504606846976", "1Gi",
		},
		{"without thresholds that can be read", trace.Header{Kubelet: []byte(`{"evictionHard":7}`)}, plausible, "usage from the kubelet's summary", "100Mi"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := usage.Recorded(tt.header, "n1", tt.record)
			if r == nil || r.SourceText() != tt.text || r.Configuration.Hard[pressure.MemoryAvailable] != tt.hard || r.Configured == (r.WhyDefaults != "") {
				t.Fatalf("%+v", r)
			}
			if (r.Summary != nil) != strings.HasPrefix(tt.text, "usage from") || r.Summary != nil && !r.At.Equal(noon) {
				t.Errorf("%+v", r)
			}
		})
	}
	if r := usage.Recorded(trace.Header{}, "n1", plausible); r != nil {
		t.Errorf("a recording without usage has %+v", r)
	}
	kept := plausible.Body.(trace.Usage).Summary.Pods[0].Volumes[0]
	if kept.CapacityBytes == nil {
		t.Error("what is not read of a reading has left the record")
	}
}
