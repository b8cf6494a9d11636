package memory

import (
	"encoding/hex"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// rng is a random number generator whose whole state is in the struct: a copy continues with the same numbers.
type rng struct{ pcg rand.PCG }

// The random streams of a cluster. They are separate so that, for example, enabling a fault does not change names.
const (
	latencyStream = iota + 1
	faultStream
	nameStream
)

func newRNG(seed, stream uint64) rng { return rng{*rand.NewPCG(seed, stream)} }

func (r *rng) rand() *rand.Rand { return rand.New(&r.pcg) }

// happens draws whether an event of the given probability happens. A probability of zero draws no number.
func (r *rng) happens(probability float64) bool {
	return probability > 0 && r.rand().Float64() < probability
}

// Delay is uniformly distributed between Base and Base+Jitter.
type Delay struct{ Base, Jitter time.Duration }

func (r *rng) delay(d Delay) time.Duration {
	if d.Jitter <= 0 {
		return d.Base
	}
	return d.Base + time.Duration(r.rand().Int64N(int64(d.Jitter)+1))
}

// suffixLetters are the API server's letters for generated names: without vowels, so that they form no words.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

func (r *rng) suffix() string {
	var b [5]byte
	for i := range b {
		b[i] = suffixLetters[r.rand().IntN(len(suffixLetters))]
	}
	return string(b[:])
}

// uid draws a random (version 4) UUID.
func (r *rng) uid() types.UID {
	var raw [16]byte
	for i, hi, lo := 0, r.pcg.Uint64(), r.pcg.Uint64(); i < 8; i++ {
		raw[i], raw[i+8] = byte(hi>>(8*i)), byte(lo>>(8*i))
	}
	raw[6] = raw[6]&0x0f | 0x40
	raw[8] = raw[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], raw[0:4])
	hex.Encode(text[9:13], raw[4:6])
	hex.Encode(text[14:18], raw[6:8])
	hex.Encode(text[19:23], raw[8:10])
	hex.Encode(text[24:36], raw[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return types.UID(text[:])
}
