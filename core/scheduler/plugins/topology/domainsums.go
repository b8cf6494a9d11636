package topology

import (
	"math"
	"slices"
)

// domainSums are the sums of an axis by domain, and how many nodes each domain has. They lie in pieces: a view takes the pieces as
// they are, and a change copies the piece that it is in. So the cost of a change does not grow with the number of domains, and the
// extremes of all domains are those of the pieces' extremes.
type domainSums struct {
	pieces  []*piece
	version uint64 // grows with every view; what has an older version belongs to one
	list    uint64 // the version of pieces
	dirty   []int  // the pieces that changed since the last view
}

const pieceSize = 128

type piece struct {
	sums     [pieceSize]int64
	members  [pieceSize]int32
	version  uint64
	dirty    bool
	extremes Extremes
}

// add changes the sum of a domain and its number of nodes.
func (d *domainSums) add(domain int32, amount int64, members int32) {
	p, at := d.writable(int(domain)/pieceSize), domain%pieceSize
	p.sums[at] += amount
	p.members[at] += members
}

// writable returns a piece that no view has.
func (d *domainSums) writable(i int) *piece {
	if d.list != d.version {
		d.pieces, d.list = slices.Clone(d.pieces), d.version
	}
	for len(d.pieces) <= i {
		d.pieces = append(d.pieces, &piece{version: d.version, extremes: noExtremes})
	}
	p := d.pieces[i]
	if p.version != d.version {
		own := *p
		p, own.version = &own, d.version
		d.pieces[i] = p
	}
	if !p.dirty {
		p.dirty = true
		d.dirty = append(d.dirty, i)
	}
	return p
}

// view returns the pieces, which do not change afterwards.
func (d *domainSums) view() []*piece {
	for _, i := range d.dirty {
		p := d.pieces[i]
		p.extremes, p.dirty = p.findExtremes(int32(i*pieceSize)), false
	}
	d.dirty = d.dirty[:0]
	d.version++
	return d.pieces
}

// Extremes are the smallest sums of an axis.
type Extremes struct {
	Domains     int   // how many domains there are
	Least       int64 // the smallest sum of any domain
	LeastDomain int32 // a domain that has it
	SecondLeast int64 // the smallest sum of the other domains
}

// noExtremes are those of no domains: the sums are the largest possible.
var noExtremes = Extremes{Least: math.MaxInt32, LeastDomain: noDomain, SecondLeast: math.MaxInt32}

func (p *piece) findExtremes(first int32) Extremes {
	e := noExtremes
	for at, members := range p.members {
		if members > 0 {
			e.Domains++
			e.consider(first+int32(at), p.sums[at])
		}
	}
	return e
}

func (e *Extremes) consider(domain int32, sum int64) {
	switch {
	case sum < e.Least:
		e.SecondLeast, e.Least, e.LeastDomain = e.Least, sum, domain
	case sum < e.SecondLeast:
		e.SecondLeast = sum
	}
}

// leastExcept is the smallest sum of a piece's domains but some.
func (p *piece) leastExcept(first int32, some []int32) int64 {
	if !slices.Contains(some, p.extremes.LeastDomain) {
		return p.extremes.Least
	}
	least := int64(math.MaxInt32)
	for at, members := range p.members {
		if members > 0 && p.sums[at] < least && !slices.Contains(some, first+int32(at)) {
			least = p.sums[at]
		}
	}
	return least
}
