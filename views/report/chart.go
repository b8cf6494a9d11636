package report

import (
	"html/template"
	"strconv"
	"strings"

	"orrery/core/answers/period"
)

// The size of a chart in its own units: it is stretched to the page.
const chartWidth, chartHeight = 1200, 150

// band is a curve or an area of a chart.
type band struct {
	class, name string
	of          func(*period.Sample) float64
}

var (
	pendingBands = []band{
		{"c-unschedulable", "unschedulable", func(s *period.Sample) float64 { return float64(s.Unschedulable) }},
		{"c-backoff", "back-off", func(s *period.Sample) float64 { return float64(s.Backoff) }},
		{"c-gated", "gated", func(s *period.Sample) float64 { return float64(s.Gated) }},
		{"c-active", "active", func(s *period.Sample) float64 { return float64(s.Active) }},
	}
	fullBands = []band{
		{"c-cpu", "cpu requested", func(s *period.Sample) float64 { return s.CPU }},
		{"c-memory", "memory requested", func(s *period.Sample) float64 { return s.Memory }},
		{"c-fragmented", "fragmented", func(s *period.Sample) float64 { return s.Fragmented }},
	}
	flowBands = []band{
		{"c-bound", "bound", func(s *period.Sample) float64 { return float64(s.Bound) }},
		{"c-failed", "attempts that failed", func(s *period.Sample) float64 { return float64(s.Failed) }},
		{"c-displaced", "preempted or evicted", func(s *period.Sample) float64 { return float64(s.Displaced) }},
	}
)

// Chart is a picture of the samples.
type Chart struct {
	Title, Most string
	Bands       []band
	SVG         template.HTML
}

// Legend are the names of the bands with their classes.
func (c *Chart) Legend() []struct{ Class, Name string } {
	var all []struct{ Class, Name string }
	for _, b := range c.Bands {
		all = append(all, struct{ Class, Name string }{b.class, b.name})
	}
	return all
}

// stacked draws areas above each other. Each sample is as wide as its frame below.
func stacked(title string, samples []period.Sample, bands []band) Chart {
	most := 1.
	for i := range samples {
		var sum float64
		for _, b := range bands {
			sum += b.of(&samples[i])
		}
		most = max(most, sum)
	}
	below := make([]float64, len(samples))
	var w strings.Builder
	for _, b := range bands {
		var up, down []string
		for i := range samples {
			left, right := column(i, len(samples))
			from, to := below[i], below[i]+b.of(&samples[i])
			below[i] = to
			up = append(up, point(left, to/most)+" "+point(right, to/most))
			down = append(down, point(right, from/most)+" "+point(left, from/most))
		}
		for i, j := 0, len(down)-1; i < j; i, j = i+1, j-1 {
			down[i], down[j] = down[j], down[i]
		}
		w.WriteString(`<polygon class="` + b.class + `" points="` + strings.Join(append(up, down...), " ") + `"/>`)
	}
	return chart(title, strconv.Itoa(int(most)), bands, w.String())
}

// lines draws shares as lines.
func lines(title string, samples []period.Sample, bands []band) Chart {
	var w strings.Builder
	for _, b := range bands {
		var points []string
		for i := range samples {
			left, right := column(i, len(samples))
			points = append(points, point((left+right)/2, b.of(&samples[i])))
		}
		w.WriteString(`<polyline class="line ` + b.class + `" points="` + strings.Join(points, " ") + `"/>`)
	}
	return chart(title, "100%", bands, w.String())
}

// bars draws numbers of events side by side.
func bars(title string, samples []period.Sample, bands []band) Chart {
	most := 1.
	for i := range samples {
		for _, b := range bands {
			most = max(most, b.of(&samples[i]))
		}
	}
	var w strings.Builder
	for i := range samples {
		left, right := column(i, len(samples))
		each := (right - left - 4) / float64(len(bands))
		for j, b := range bands {
			v := b.of(&samples[i])
			if v == 0 {
				continue
			}
			h := max(v/most*(chartHeight-8), 1.5)
			w.WriteString(`<rect class="` + b.class + `" x="` + digits(left+2+float64(j)*each) + `" y="` + digits(chartHeight-h) + `" width="` + digits(each) + `" height="` + digits(h) + `"/>`)
		}
	}
	return chart(title, strconv.Itoa(int(most)), bands, w.String())
}

// chart puts shapes, which hold nothing but numbers and the names of classes, into a picture.
func chart(title, most string, bands []band, shapes string) Chart {
	const open = `<svg class="chart" viewBox="0 0 1200 150" preserveAspectRatio="none" aria-hidden="true">` +
		`<path class="grid" d="M0 8H1200M0 79H1200M0 149.5H1200"/>`
	return Chart{title, most, bands, template.HTML(open + shapes + "</svg>")}
}

// column is where a sample of n begins and ends.
func column(i, n int) (left, right float64) {
	return chartWidth * float64(i) / float64(n), chartWidth * float64(i+1) / float64(n)
}

func point(x, share float64) string {
	return digits(x) + "," + digits(chartHeight-share*(chartHeight-8))
}

func digits(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
