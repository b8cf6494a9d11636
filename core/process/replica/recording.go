package replica

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"orrery/core/trace/segments"
)

// startRecording begins to record to disk, if the options say so. It is called once the driver runs, of which a recording is.
func (x *run) startRecording() {
	if x.recorder == nil {
		return
	}
	var ctx context.Context
	ctx, x.stopRecording = context.WithCancel(context.WithoutCancel(x.workCtx))
	x.recorded = make(chan struct{})
	go func() {
		defer close(x.recorded)
		each := time.NewTicker(segments.TickEvery)
		defer each.Stop()
		x.recorder.Run(ctx, each.C)
	}()
}

// endRecording ends the recording and waits for that, after the end of the driver, which adds the last records.
func (x *run) endRecording() {
	if x.recorded != nil {
		x.stopRecording()
		<-x.recorded
	}
}

// noteOutage tells subscribers when the recording stops, and when it goes on.
func (x *run) noteOutage() {
	if x.recorder != nil {
		x.feed.SetOutage(x.recorder.Status().Outage(time.Now()))
	}
}

// recordingFamily is one metric family of a recording: orrery_recording_NAME.
type recordingFamily struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(s segments.Status, now time.Time) float64
}

func ofRecording(name, help string, kind prometheus.ValueType, value func(s segments.Status, now time.Time) float64) recordingFamily {
	return recordingFamily{prometheus.NewDesc("orrery_recording_"+name, help, nil, nil), kind, value}
}

// recordingFamilies are absent where nothing is recorded.
var recordingFamilies = []recordingFamily{
	ofRecording("up", "1 while records reach the disk.", prometheus.GaugeValue, func(s segments.Status, now time.Time) float64 {
		if s.Up(now) {
			return 1
		}
		return 0
	}),
	ofRecording("last_flush_timestamp_seconds", "When records last reached the disk; 0 if they never did.", prometheus.GaugeValue, func(s segments.Status, _ time.Time) float64 {
		if s.Flushed.IsZero() {
			return 0
		}
		return float64(s.Flushed.UnixMilli()) / 1000
	}),
	ofRecording("written_bytes_total", "Bytes of records that were written.", prometheus.CounterValue, func(s segments.Status, _ time.Time) float64 { return float64(s.Written) }),
	ofRecording("outages_total", "Times that the recording stopped while scheduling went on.", prometheus.CounterValue, func(s segments.Status, _ time.Time) float64 { return float64(s.Gaps) }),
	ofRecording("segments", "Segments in the directory.", prometheus.GaugeValue, func(s segments.Status, _ time.Time) float64 { return float64(s.Segments) }),
	ofRecording("bytes", "Size of the segments in the directory.", prometheus.GaugeValue, func(s segments.Status, _ time.Time) float64 { return float64(s.Bytes) }),
}

// collectRecording collects the metrics of a recording, if there is one.
func (c *collector) collectRecording(to chan<- prometheus.Metric) {
	if c.replica.recorder == nil {
		return
	}
	s, now := c.replica.recorder.Status(), time.Now()
	for _, f := range recordingFamilies {
		to <- prometheus.MustNewConstMetric(f.desc, f.kind, f.value(s, now))
	}
}
