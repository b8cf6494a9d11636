package evict_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"orrery/core/evict"
)

func TestEviction_JSON(t *testing.T) {
	b := evict.NewRecord()
	d := evict.Eviction{Pod: ref("a"), Cause: evict.Taint, Phase: evict.CountingDown, FirstSeen: noon}
	d.Prediction.PredictedAt = noon.Add(time.Minute)
	b.Write(d)
	d.Phase, d.Prediction.ObservedAt = evict.Terminating, noon.Add(time.Minute+200*time.Millisecond)
	b.Write(d)
	text, err := json.Marshal(b.Open())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"Phase":"terminating"`, `"Outcome":"on time"`, `"PredictedAt":"2026-01-01T12:01:00Z"`, `"ObservedAt":"2026-01-01T12:01:00.2Z"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if o := b.Outcomes(); o.Count(evict.OnTime) != 1 {
		t.Errorf("the outcomes are %v", o)
	}
}

// A decided outcome survives later writes and is counted once.
func TestPrediction_OutcomeIsFinal(t *testing.T) {
	b := evict.NewRecord()
	d := evict.Eviction{Pod: ref("a"), Cause: evict.Taint, Phase: evict.Terminating, FirstSeen: noon}
	d.Prediction.PredictedAt, d.Prediction.ObservedAt = noon, noon.Add(12*time.Second)
	for range 3 {
		b.Write(d)
	}
	again := evict.Eviction{Pod: ref("a"), Cause: evict.Taint, Phase: evict.Terminating}
	again.Prediction.PredictedAt = noon.Add(time.Hour)
	b.Write(again)
	again.Phase, again.Ended = evict.Evicted, noon.Add(time.Hour)
	b.Write(again)
	if f := b.Ended()[0].Prediction; f.Outcome != evict.Late || !f.PredictedAt.Equal(noon) {
		t.Errorf("the prediction is %+v", f)
	}
	want := evict.OutcomeCounts{}
	want[evict.Late] = 1
	if got := b.Outcomes(); got != want {
		t.Errorf("the outcomes are %v, want %v", got, want)
	}
}
