package topology

import "slices"

// ClassRoom is memory for what a plugin says of classes of nodes in a cycle.
type ClassRoom struct {
	Present  []int32 // the classes that feasible nodes are in
	verdicts []uint8
	scores   []int64
}

// Verdicts evaluates each class, as reuse.Classes does.
func (r *ClassRoom) Verdicts(classes *NodeClasses, evaluate func(class int32) uint8) []uint8 {
	r.verdicts = classes.Verdicts(r.verdicts[:0], evaluate)
	return r.verdicts
}

// Scores is room for a score of each class. What is in it is of earlier cycles.
func (r *ClassRoom) Scores(classes *NodeClasses) []int64 {
	r.scores = slices.Grow(r.scores[:0], classes.Len())[:classes.Len()]
	return r.scores
}
