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
			{program: "replica", live: 100 << 20, resident: 200 << 20, goroutines: 120, descriptors: 16, watches: 18},
			{program: "console", live: 40 << 20, resident: 90 << 20, goroutines: 90, descriptors: 14, watches: 19},
		}})
	}
	return all
}

func TestReport_JudgesWhatIsAfterTheBaseline(t *testing.T) {
	tests := map[string]struct {
		change func([]measure)
		wrong  string // what the error names, if there is one
	}{
		"nothing changes":               {func([]measure) {}, ""},
		"all rises before the baseline": {func(m []measure) { m[0].levels[0] = level{program: "replica"} }, ""},
		"memory stays within tolerance": {func(m []measure) { m[7].levels[0].live = 105 << 20; m[8].levels[0].live = 95 << 20 }, ""},
		"resident memory grows":         {func(m []measure) { m[11].levels[0].resident *= 2 }, ""},
		"memory grows":                  {func(m []measure) { m[11].levels[0].live = 106 << 20 }, "live memory of replica: 100.0 MiB at first, then 100.0 MiB to 106.0 MiB"},
		"memory shrinks":                {func(m []measure) { m[5].levels[1].live = 37 << 20 }, "live memory of console"},
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
			if (err != nil) != (test.wrong != "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("the report says %v instead of %q", err, test.wrong)
			}
			if marked := strings.Count(printed.String(), "NOT LEVEL"); (marked > 0) != (err != nil) {
				t.Errorf("%d lines are not level:\n%s", marked, printed.String())
			}
		})
	}
}

func TestReport_NeedsARoundAfterTheBaseline(t *testing.T) {
	r := report{to: &bytes.Buffer{}, measures: steady()[:baseline]}
	if err := r.end(); err == nil {
		t.Error("a run that ends with the baseline is fine")
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
