package topology

import "slices"

// ClassRoom is memory for what a plugin says of classes of nodes in a cycle.
type ClassRoom struct {
	Present  []int32 // the classes that feasible nodes are in
	verdicts []uint8
	scores   []int64
}

// Verdicts judges each class. The verdict on one without nodes is zero.
func (r *ClassRoom) Verdicts(classes *NodeClasses, judge func(class int32) uint8) []uint8 {
	verdicts := r.verdicts[:0]
	for class := range int32(classes.Len()) {
		verdict := uint8(0)
		if classes.Nodes(class).Len() > 0 {
			verdict = judge(class)
		}
		verdicts = append(verdicts, verdict)
	}
	r.verdicts = verdicts
	return verdicts
}

// Scores is room for a score of each class. What is in it is of earlier cycles.
func (r *ClassRoom) Scores(classes *NodeClasses) []int64 {
	r.scores = slices.Grow(r.scores[:0], classes.Len())[:classes.Len()]
	return r.scores
}
