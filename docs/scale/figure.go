package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// The figure has both axes in logarithms: a straight line up by one decade to the right is what grows as the nodes do.
const (
	left, right, top, bottom = 70, 250, 20, 40 // margins; the names of the kinds are on the right
	width, height            = 620, 420        // of the plot
	fastest, slowest         = time.Microsecond, 100 * time.Millisecond
)

var colours = []string{"#0072b2", "#56b4e9", "#e69f00", "#d55e00", "#b8a000", "#009e73", "#cc79a7", "#999999", "#000000"}

func figure(results []result) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", left+width+right, top+height+bottom)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", left+width+right, top+height+bottom)
	for d := fastest; d <= slowest; d *= 10 {
		fmt.Fprintf(&b, `<path d="M%d %.1fh%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left, y(d), width, left-8, y(d)+4, d)
	}
	for _, r := range results {
		at := x(r, results)
		fmt.Fprintf(&b, `<path d="M%.1f %dv%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%s nodes</text>`+"\n", at, top, height, at, top+height+20, grouped(r.size.nodes))
	}
	for i, k := range podKinds {
		var line strings.Builder
		for _, r := range results {
			fmt.Fprintf(&line, "%.1f,%.1f ", x(r, results), y(r.decisions[i].median))
		}
		colour := colours[i%len(colours)]
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.TrimSpace(line.String()), colour)
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", left+width+20, top+16+18*i, colour, k.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func x(r result, all []result) float64 {
	first, last := math.Log(float64(all[0].size.nodes)), math.Log(float64(all[len(all)-1].size.nodes))
	if first == last {
		return left
	}
	return left + width*(math.Log(float64(r.size.nodes))-first)/(last-first)
}

func y(d time.Duration) float64 {
	share := math.Log(float64(d)/float64(fastest)) / math.Log(float64(slowest)/float64(fastest))
	return top + height*(1-min(max(share, 0), 1))
}
