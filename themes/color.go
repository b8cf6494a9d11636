package themes

import (
	"fmt"
	"math"
	"strconv"
)

// RGB is a 24-bit colour.
type RGB struct{ R, G, B uint8 }

// Color is a token's colour in a theme: none, an index into the terminal's palette, or a true colour.
type Color struct {
	kind  colorKind
	index uint8
	rgb   RGB
}

type colorKind uint8

const (
	noColor colorKind = iota
	indexed
	trueColor
)

// Indexed returns a colour of the terminal's palette, whose first sixteen the user chooses.
func Indexed(i uint8) Color { return Color{kind: indexed, index: i} }

// True returns a true colour.
func True(c RGB) Color { return Color{kind: trueColor, rgb: c} }

// RGB returns the colour if it does not depend on the terminal.
func (c Color) RGB() (RGB, bool) { return c.rgb, c.kind == trueColor }

// parseColor parses "#rrggbb", "0" to "255", or "none".
func parseColor(s string) (Color, error) {
	if s == "none" {
		return Color{}, nil
	}
	if len(s) == 7 && s[0] == '#' {
		if v, err := strconv.ParseUint(s[1:], 16, 32); err == nil {
			return True(RGB{uint8(v >> 16), uint8(v >> 8), uint8(v)}), nil
		}
	}
	if v, err := strconv.ParseUint(s, 10, 8); err == nil {
		return Indexed(uint8(v)), nil
	}
	return Color{}, fmt.Errorf(`%.40q is no colour: write "#rrggbb", a number from 0 to 255, or "none"`, s)
}

// hex parses a colour of the shipped palettes; a test checks that they parse.
func hex(s string) Color {
	c, err := parseColor(s)
	if err != nil {
		panic(err)
	}
	return c
}

// cubeLevels are the six intensities of the 6×6×6 cube in the 256-colour palette.
var cubeLevels = [6]int{0, 95, 135, 175, 215, 255}

// nearest256 returns the closest colour of the 256-colour palette, from the cube or the greys.
func nearest256(c RGB) uint8 {
	level := func(v uint8) int {
		best := 0
		for i, l := range cubeLevels {
			if abs(l-int(v)) < abs(cubeLevels[best]-int(v)) {
				best = i
			}
		}
		return best
	}
	r, g, b := level(c.R), level(c.G), level(c.B)
	cube := RGB{uint8(cubeLevels[r]), uint8(cubeLevels[g]), uint8(cubeLevels[b])}
	step := min(max((int(c.R)+int(c.G)+int(c.B))/3-8+5, 0)/10, 23)
	grey := uint8(8 + 10*step)
	if distance(c, RGB{grey, grey, grey}) < distance(c, cube) {
		return uint8(232 + step)
	}
	return uint8(16 + 36*r + 6*g + b)
}

func distance(a, b RGB) int {
	r, g, bl := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
	return r*r + g*g + bl*bl
}

func abs(v int) int { return max(v, -v) }

// ramp interpolates anchors over the steps of the heat ramp.
func ramp(anchors []RGB) [HeatSteps]Color {
	var steps [HeatSteps]Color
	for i := range steps {
		at := float64(i) / float64(HeatSteps-1) * float64(len(anchors)-1)
		low := min(int(at), len(anchors)-1)
		high := min(low+1, len(anchors)-1)
		t := at - float64(low)
		mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-t) + float64(b)*t)) }
		from, to := anchors[low], anchors[high]
		steps[i] = True(RGB{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B)})
	}
	return steps
}
