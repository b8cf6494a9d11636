package main

import (
	"bytes"
	"strings"
	"testing"
)

// steady returns the measures of a run in which nothing changes.
func steady() []measure {
	var all []measure
	for n := range rounds {
		all = append(all, measure{minute: float64(5 * n), levels: []level{
			{program: "replica", live: 100 << 20, resident: 200 << 20, goroutines: 120, descriptors: 16, watches: 18, sockets: 6},
			{program: "console", live: 40 << 20, resident: 90 << 20, goroutines: 90, descriptors: 14, watches: 19, sockets: 5},
		}})
	}
	return all
}

// live sets a program's live memory in some rounds.
func live(all []measure, program int, bytes int64) {
	for i := range all {
		all[i].levels[program].live = bytes
	}
}

// leak lets two sockets more be open in each round.
func leak(all []measure) {
	for i := range all {
		all[i].levels[0].sockets += 2 * max(0, i-baseline)
	}
}

func TestReport_ChecksWhatIsAfterTheBaseline(t *testing.T) {
	tests := map[string]struct {
		change  func([]measure)
		wantErr string // what the error names, if there is one
	}{
		"nothing changes":               {func([]measure) {}, ""},
		"all rises before the baseline": {func(m []measure) { m[0].levels[0] = level{program: "replica"} }, ""},
		"memory stays within tolerance": {func(m []measure) { live(m[7:], 0, 105<<20) }, ""},
		"memory falls":                  {func(m []measure) { live(m[7:], 1, 20<<20) }, ""},
		"memory is more in some rounds": {func(m []measure) { live(m[3:11], 0, 200<<20) }, ""},
		"resident memory grows":         {func(m []measure) { m[11].levels[0].resident *= 2 }, ""},
		"memory grows":                  {func(m []measure) { live(m[7:], 0, 106<<20) }, "live memory, by halves of replica: 100.0 MiB at first, then 100.0 MiB to 106.0 MiB"},
		"sockets are more for a while":  {func(m []measure) { m[2].levels[0].sockets, m[9].levels[0].sockets = 7, 19 }, ""},
		"sockets leak":                  {func(m []measure) { leak(m) }, "sockets, by halves of replica: 6 at first, then 6 to 16"},
		"one goroutine more":            {func(m []measure) { m[3].levels[1].goroutines++ }, "goroutines of console: 90 at first, then 90 to 91"},
		"one descriptor more":           {func(m []measure) { m[11].levels[0].descriptors++ }, "descriptors of replica"},
		"one watch fewer":               {func(m []measure) { m[2].levels[0].watches-- }, "watches of replica: 18 at first, then 17 to 18"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var printed bytes.Buffer
			r := report{to: &printed}
			measures := steady()
			test.change(measures)
			for _, m := range measures {
				r.add(m)
			}
			err := r.end()
			if (err != nil) != (test.wantErr != "") || err != nil && !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("the report says %v instead of %q", err, test.wantErr)
			}
			if marked := strings.Count(printed.String(), "NOT LEVEL"); (marked > 0) != (err != nil) {
				t.Errorf("%d lines are not level:\n%s", marked, printed.String())
			}
		})
	}
}

func TestReport_NeedsRoundsAfterTheBaseline(t *testing.T) {
	r := report{to: &bytes.Buffer{}, measures: steady()[:baseline+1]}
	if err := r.end(); err == nil {
		t.Error("a run that ends soon after the baseline is fine")
	}
}

func TestReport_WantsTheBaseline(t *testing.T) {
	r := report{to: &bytes.Buffer{}}
	for n, m := range steady() {
		m.levels[1].goroutines = n
		if want := (level{}); n < baseline && r.wanted(1) != want {
			t.Errorf("round %d wants %v before the baseline", n, r.wanted(1))
		} else if n >= baseline && r.wanted(1).goroutines != baseline-1 {
			t.Errorf("round %d wants %v", n, r.wanted(1))
		}
		r.add(m)
	}
}
