package thrift

import (
	"math/bits"
	"strconv"
)

// pen is a style. The zero value is the terminal's own.
type pen struct {
	ink, ground color
	traits      traits
}

// color is the terminal's own if it is zero, else one of three kinds. Of the sixteen, terminals make others for bold text,
// which they do not of the same ones in the palette.
type color uint32

const (
	ofSixteen color = (1 + iota) << 24
	ofPalette
	ofAll
	kind color = 3 << 24
)

type traits uint16

// traitCodes set the traits, untraitCodes take them away.
var (
	traitCodes   = [...]int{1, 2, 3, 4, 5, 7, 8, 9}
	untraitCodes = [...]int{22, 22, 23, 24, 25, 27, 28, 29}
)

// Traits that are seen on a blank: underlined, reversed, struck out.
const seenOnBlank traits = 1<<3 | 1<<5 | 1<<7

// empty tells whether a blank in this style looks like any other on the terminal's own ground.
func (p pen) empty() bool { return p.ground == 0 && p.traits&seenOnBlank == 0 }

// set changes the style as a sequence of parameters says, unless it says something that is not known here.
func (p *pen) set(n []int) bool {
	if len(n) == 0 {
		*p = pen{}
	}
	for i := 0; i < len(n); i++ {
		switch c := n[i]; {
		case c == 0:
			*p = pen{}
		case c >= 30 && c <= 37:
			p.ink = ofSixteen | color(c-30)
		case c >= 90 && c <= 97:
			p.ink = ofSixteen | color(c-90+8)
		case c == 39:
			p.ink = 0
		case c >= 40 && c <= 47:
			p.ground = ofSixteen | color(c-40)
		case c >= 100 && c <= 107:
			p.ground = ofSixteen | color(c-100+8)
		case c == 49:
			p.ground = 0
		case c == 38 || c == 48:
			chosen, used := colorIn(n[i+1:])
			if used == 0 {
				return false
			}
			if c == 38 {
				p.ink = chosen
			} else {
				p.ground = chosen
			}
			i += used
		default:
			if !p.setTrait(c) {
				return false
			}
		}
	}
	return true
}

func (p *pen) setTrait(code int) (known bool) {
	for i := range traitCodes {
		switch code {
		case traitCodes[i]:
			p.traits |= 1 << i
			known = true
		case untraitCodes[i]:
			p.traits &^= 1 << i
			known = true
		}
	}
	return known
}

// colorIn is the colour that parameters name, and how many of them it takes; none if they name none.
func colorIn(n []int) (color, int) {
	switch {
	case len(n) >= 2 && n[0] == 5 && n[1] < 256:
		return ofPalette | color(n[1]), 2
	case len(n) >= 4 && n[0] == 2 && max(n[1], n[2], n[3]) < 256:
		return ofAll | color(n[1])<<16 | color(n[2])<<8 | color(n[3]), 4
	}
	return 0, 0
}

// appendSwitch appends the code that makes one style of another, the shortest of those that say so.
func (p pen) appendSwitch(b []byte, from pen) []byte {
	if p == from {
		return b
	}
	if p == (pen{}) {
		return append(b, "\x1b[m"...)
	}
	start := len(b)
	b = append(b, "\x1b["...)
	gone := from.traits &^ p.traits
	kept := from.traits & p.traits
	for i := range traitCodes {
		if gone&(1<<i) != 0 {
			b = appendCode(b, untraitCodes[i])
			if untraitCodes[i] == 22 { // takes both bold and faint
				kept &^= 3
				gone &^= 3
			}
		}
	}
	b = p.appendTraits(b, p.traits&^kept)
	if p.ink != from.ink {
		b = p.ink.appendCodes(b, 30)
	}
	if p.ground != from.ground {
		b = p.ground.appendCodes(b, 40)
	}
	b[len(b)-1] = 'm'
	var anew [64]byte
	fresh := p.appendFresh(anew[:0])
	if len(fresh) < len(b)-start {
		return append(b[:start], fresh...)
	}
	return b
}

// appendFresh appends the code for a style that begins with nothing.
func (p pen) appendFresh(b []byte) []byte {
	b = p.appendTraits(append(b, "\x1b[0;"...), p.traits)
	if p.ink != 0 {
		b = p.ink.appendCodes(b, 30)
	}
	if p.ground != 0 {
		b = p.ground.appendCodes(b, 40)
	}
	b[len(b)-1] = 'm'
	return b
}

func (p pen) appendTraits(b []byte, some traits) []byte {
	for ; some != 0; some &= some - 1 {
		b = appendCode(b, traitCodes[bits.TrailingZeros16(uint16(some))])
	}
	return b
}

// appendCodes appends what chooses a colour, with 30 as the base for what is drawn and 40 for the ground.
func (c color) appendCodes(b []byte, base int) []byte {
	n := int(c & 0xffffff)
	switch c & kind {
	case ofAll:
		b = appendCode(appendCode(b, base+8), 2)
		return appendCode(appendCode(appendCode(b, n>>16), n>>8&0xff), n&0xff)
	case ofPalette:
		return appendCode(appendCode(appendCode(b, base+8), 5), n)
	case ofSixteen:
		if n >= 8 {
			return appendCode(b, base+60+n-8)
		}
		return appendCode(b, base+n)
	}
	return appendCode(b, base+9)
}

// appendCode appends a parameter and what sets it apart from the next.
func appendCode(b []byte, n int) []byte { return append(strconv.AppendInt(b, int64(n), 10), ';') }
