package find

import (
	"slices"
	"strings"
)

// Index holds things ready to be searched.
type Index struct {
	things []Thing
	texts  []texts
	bonus  []int16 // what a thing is worth beside its match
	// scores and fits are scratch, reused.
	scores []int16
	fits   []int32
}

// texts are what a thing is searched by, in lower case, and which letters they have.
type texts struct {
	name, about       string
	nameHas, aboutHas uint64
	kind              Kind
}

// What a thing is worth beside how well it matches: less than the difference between two ways to match. The latest of the recent ones is
// worth the most.
const (
	badBonus    = 40
	recentBonus = 45
)

// kindBonus is what kinds are worth: what there is little of, and what is opened most, comes first.
var kindBonus = [kinds]int16{Command: 8, Pane: 8, Owner: 7, Node: 6, Gang: 5, Pod: 4, Namespace: 4, Claim: 3, DeviceClaim: 3, WhatIf: 1}

// Add adds things. Those in recent, the latest first, were opened lately.
func (x *Index) Add(things []Thing, recent []Ref) {
	x.things = append(x.things, things...)
	x.texts, x.bonus = slices.Grow(x.texts, len(things)), slices.Grow(x.bonus, len(things))
	rank := make(map[Ref]int, len(recent))
	for i, r := range slices.Backward(recent) {
		rank[r] = i
	}
	for i := range things {
		t := &things[i]
		of := texts{name: strings.ToLower(t.Name), about: strings.ToLower(t.About), kind: t.Kind}
		of.nameHas, of.aboutHas = lettersOf(of.name), lettersOf(of.about)
		worth := kindBonus[t.Kind]
		if t.Bad {
			worth += badBonus
		}
		if at, is := rank[t.Ref()]; is {
			worth = max(worth, kindBonus[Command]+int16(recentBonus-min(at, 4)))
		}
		x.texts, x.bonus = append(x.texts, of), append(x.bonus, worth)
	}
}

// Len returns how many things there are.
func (x *Index) Len() int { return len(x.things) }

// lettersOf returns the set of letters and digits of a text; all other characters are one.
func lettersOf(lower string) uint64 {
	set := uint64(0)
	for i := range len(lower) {
		switch c := lower[i]; {
		case c >= 'a' && c <= 'z':
			set |= 1 << (c - 'a')
		case c >= '0' && c <= '9':
			set |= 1 << (26 + c - '0')
		default:
			set |= 1 << 63
		}
	}
	return set
}
