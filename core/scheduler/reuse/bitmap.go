package reuse

import "math/bits"

// Bitmap is a set of positions in the list of nodes: position p is bit p%64 of word p/64.
type Bitmap []uint64

const wordSize = 64

// wordsFor returns how many words hold the positions.
func wordsFor(positions int) int { return (positions + wordSize - 1) / wordSize }

func bit(position int32) (word int32, mask uint64) {
	return position / wordSize, 1 << (position % wordSize)
}

// Has reports whether a position is in the set.
func (b Bitmap) Has(position int) bool {
	w, mask := bit(int32(position))
	return b[w]&mask != 0
}

// Set adds a position.
func (b Bitmap) Set(position int32) {
	w, mask := bit(position)
	b[w] |= mask
}

func (b Bitmap) clear(position int32) {
	w, mask := bit(position)
	b[w] &^= mask
}

// Zeroed returns an empty bitmap with room for the positions. It reuses the memory of b if that is enough.
func (b Bitmap) Zeroed(positions int) Bitmap {
	words := wordsFor(positions)
	if cap(b) < words {
		return make(Bitmap, words)
	}
	b = b[:words]
	clear(b)
	return b
}

// nthBit is a word with nothing but its bit that n lower ones come before.
func nthBit(word uint64, n int) uint64 {
	for range n {
		word &= word - 1
	}
	return word & -word
}

// positionOf is the position of the lowest bit of a word.
func positionOf(word int, bitmap uint64) int { return word*wordSize + bits.TrailingZeros64(bitmap) }
