package reuse

import (
	"math/bits"
	"slices"
)

// Positions are a set of positions in the list of nodes: a bitmap, or a list while they are few. So the sets that divide a list of nodes
// take some bytes for each node together, however many sets there are.
type Positions struct {
	few    []int32 // in no order; empty if there is a bitmap
	bitmap Bitmap  // nil while they are few
	count  int
}

// sparseLimit is the largest set kept as a list, where a bitmap has so many words.
func sparseLimit(words int) int { return max(8, words/4) }

// Len is how many positions there are.
func (s *Positions) Len() int { return s.count }

// Any is a position of the set; noClass if it is empty.
func (s *Positions) Any() int32 {
	for word, set := range s.bitmap {
		if set != 0 {
			return int32(positionOf(word, set))
		}
	}
	if len(s.few) == 0 {
		return noClass
	}
	return s.few[0]
}

// bitmaps is how many bitmaps the set has.
func (s *Positions) bitmaps() int {
	if s.bitmap == nil {
		return 0
	}
	return 1
}

func (s *Positions) add(position int32, words int) {
	s.count++
	if s.bitmap != nil {
		s.bitmap.Set(position)
		return
	}
	if s.few = append(s.few, position); len(s.few) > sparseLimit(words) {
		s.bitmap = make(Bitmap, words)
		for _, p := range s.few {
			s.bitmap.Set(p)
		}
		s.few = nil
	}
}

// remove removes a position that is in the set. A bitmap becomes a list again when it has far fewer positions than a list may have.
func (s *Positions) remove(position int32) {
	s.count--
	if s.bitmap == nil {
		at := slices.Index(s.few, position)
		last := len(s.few) - 1
		s.few[at] = s.few[last]
		s.few = s.few[:last]
		return
	}
	s.bitmap.clear(position)
	if s.count <= sparseLimit(len(s.bitmap))/4 {
		s.few = make([]int32, 0, sparseLimit(len(s.bitmap))+1)
		for w, word := range s.bitmap {
			for ; word != 0; word &= word - 1 {
				s.few = append(s.few, int32(positionOf(w, word)))
			}
		}
		s.bitmap = nil
	}
}

// grow makes room for a number of words.
func (s *Positions) grow(words int) {
	if s.bitmap != nil {
		s.bitmap = append(s.bitmap, make(Bitmap, words-len(s.bitmap))...)
	}
}

// countIn returns how many of the positions are in a bitmap, within some ranges of words.
func (s *Positions) countIn(b Bitmap, ranges []span) (n int) {
	if s.bitmap == nil {
		for _, p := range s.few {
			if inRanges(p, ranges) && b.Has(int(p)) {
				n++
			}
		}
		return n
	}
	for _, r := range ranges {
		for w := r.from; w < r.to; w++ {
			n += bits.OnesCount64(s.bitmap[w] & b[w])
		}
	}
	return n
}

// in returns the positions that are in a bitmap, within some ranges of words.
func (s *Positions) in(b Bitmap, ranges []span) (common []int32) {
	if s.bitmap == nil {
		for _, p := range s.few {
			if inRanges(p, ranges) && b.Has(int(p)) {
				common = append(common, p)
			}
		}
		return common
	}
	for _, r := range ranges {
		for w := r.from; w < r.to; w++ {
			for word := s.bitmap[w] & b[w]; word != 0; word &= word - 1 {
				common = append(common, int32(positionOf(w, word)))
			}
		}
	}
	return common
}

// meets reports whether any of the positions is in a bitmap, within some ranges of words.
func (s *Positions) meets(b Bitmap, ranges []span) bool {
	if s.bitmap == nil {
		for _, p := range s.few {
			if inRanges(p, ranges) && b.Has(int(p)) {
				return true
			}
		}
		return false
	}
	for _, r := range ranges {
		for w := r.from; w < r.to; w++ {
			if s.bitmap[w]&b[w] != 0 {
				return true
			}
		}
	}
	return false
}

// span is the words from one up to another.
type span struct{ from, to int }

func inRanges(position int32, ranges []span) bool {
	w := int(position / wordSize)
	for _, r := range ranges {
		if r.from <= w && w < r.to {
			return true
		}
	}
	return false
}
