package evict_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"orrery/core/evict"
)

func TestADepartureIsWrittenForScriptsInWords(t *testing.T) {
	b := evict.NewBoard()
	d := evict.Departure{Pod: ref("a"), Cause: evict.Taint, Phase: evict.Counting, Noticed: noon}
	d.Foretold.Due = noon.Add(time.Minute)
	b.Write(d)
	d.Phase, d.Foretold.Asked = evict.Leaving, noon.Add(time.Minute+200*time.Millisecond)
	b.Write(d)
	text, err := json.Marshal(b.Open())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"Phase":"leaving"`, `"Outcome":"kept"`, `"Due":"2026-01-01T12:01:00Z"`, `"Asked":"2026-01-01T12:01:00.2Z"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if o := b.Outcomes(); o.Of(evict.Kept) != 1 {
		t.Errorf("the outcomes are %v", o)
	}
}

// What is settled stays so, whoever writes afterwards, and is counted once.
func TestAnOutcomeIsSettledOnce(t *testing.T) {
	b := evict.NewBoard()
	d := evict.Departure{Pod: ref("a"), Cause: evict.Taint, Phase: evict.Leaving, Noticed: noon}
	d.Foretold.Due, d.Foretold.Asked = noon, noon.Add(12*time.Second)
	for range 3 {
		b.Write(d)
	}
	again := evict.Departure{Pod: ref("a"), Cause: evict.Taint, Phase: evict.Leaving}
	again.Foretold.Due = noon.Add(time.Hour)
	b.Write(again)
	again.Phase, again.Ended = evict.Left, noon.Add(time.Hour)
	b.Write(again)
	if f := b.Ended()[0].Foretold; f.Outcome != evict.Late || !f.Due.Equal(noon) {
		t.Errorf("it says %+v", f)
	}
	want := evict.Outcomes{}
	want[evict.Late] = 1
	if got := b.Outcomes(); got != want {
		t.Errorf("the outcomes are %v, want %v", got, want)
	}
}
