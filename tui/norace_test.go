//go:build !race

package tui

import "math"

const drawn = math.MaxInt
