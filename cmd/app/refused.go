package app

import (
	"fmt"
	"slices"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
)

const (
	//orrery:limit answers; refused objects that a command names, the newest; it says how many more there are
	maxRefusalsNamed = 10
	//orrery:limit text; what a command says of a refused object, in characters; cut off
	maxRefusalText = 300
)

// refusals names what a scheduler has refused, the newest first: objects that it does without, or without a field.
func refusals(all []engine.Problem) []string {
	names := []string{}
	for _, refused := range slices.Backward(all) {
		if len(names) == maxRefusalsNamed {
			return append(names, fmt.Sprintf("and %d more", len(all)-len(names)))
		}
		names = append(names, printable.Line(refused.Err.Error(), maxRefusalText))
	}
	return names
}
