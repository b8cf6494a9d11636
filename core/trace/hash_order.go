package trace

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"orrery/core/world"
	"orrery/core/world/trim"
)

// maxOrderedNames bounds the memory of hashing a whole recording, some 100 bytes for each name.
//
//orrery:limit recordings; different names in a recording whose names are to be hashed; refused
const maxOrderedNames = 1 << 22

// nameSet is the different names of a recording.
type nameSet struct {
	names map[string]struct{}
	full  bool
}

func (s *nameSet) add(name string) {
	if _, known := s.names[name]; known {
		return
	}
	if s.full = s.full || len(s.names) >= maxOrderedNames; !s.full {
		s.names[name] = struct{}{}
	}
}

// nameOrder knows the rank of every name of a recording among all of them.
type nameOrder struct {
	ranks  map[string]uint32
	digits int // of the largest rank, in hexadecimal
	// unknown says that a name was asked for that the recording did not have when it was read first.
	unknown bool
}

// rank returns the rank of a name, in as many digits for each.
func (o *nameOrder) rank(name string) string {
	rank, known := o.ranks[name]
	o.unknown = o.unknown || !known
	return fmt.Sprintf("%0*x", o.digits, rank)
}

// inOrder returns a hasher under the same salt whose hashes are in the order of the names of a recording, which it reads to its
// end or to its damage.
//
// A compound is ranked by its parts. Every name that continues the base of a compound becomes one, so that they are
// in the right order among each other, and all of them right after the base: a dash comes before any other character of a name.
func (h *NameHasher) inOrder(from io.Reader) (*NameHasher, error) {
	r, err := NewReader(from)
	if err != nil {
		return nil, err
	}
	if r.Header().Origin == FromState {
		return nil, errStateHashed
	}
	collector := &NameHasher{compounds: newCompounds(), seen: &nameSet{names: map[string]struct{}{}}}
	if _, err := collector.Configuration(r.Header().Configuration); err != nil {
		return nil, err
	}
	for record, err := range r.All() {
		if err != nil {
			break // what can be read is hashed, and the damage reported by the one who copies it
		}
		collector.collect(record.Body)
	}
	if collector.seen.full {
		return nil, fmt.Errorf("hashing names: the recording has more than %d different names: cut it, and hash the parts", maxOrderedNames)
	}
	ordered := &NameHasher{mac: h.mac, cache: map[string]string{}, compounds: collector.compounds.byBase()}
	ordered.order = rankNames(collector.seen.names, ordered.compounds)
	return ordered, nil
}

// collect adds the names of a record that a writer would hash.
func (h *NameHasher) collect(b Body) {
	h.hashBody(b)
	in, ok := b.(Input)
	if !ok {
		return
	}
	switch ev := in.Event.(type) {
	case world.Changed:
		h.Object(trim.Object(ev.Object))
	case world.Listed:
		for _, o := range ev.Objects {
			h.Object(trim.Object(o))
		}
	case world.EffectDone:
		if ev.Outcome.Answer == nil {
			return
		}
		for _, node := range ev.Outcome.Answer.Changed {
			h.Object(trim.Object(node))
		}
	}
}

// rankNames ranks the names, and the parts of compounds in their place.
func rankNames(names map[string]struct{}, compounds compounds) *nameOrder {
	ranks := map[string]uint32{}
	var add func(name string)
	add = func(name string) {
		if base, rest, ok := compounds.split(name); ok {
			add(base)
			add(rest)
			return
		}
		ranks[name] = 0
	}
	for name := range names {
		add(name)
	}
	for i, name := range slices.Sorted(maps.Keys(ranks)) {
		ranks[name] = uint32(i)
	}
	return &nameOrder{ranks: ranks, digits: len(fmt.Sprintf("%x", len(ranks)))}
}

// check returns an error if the hashes are not in order after all.
func (o *nameOrder) check() error {
	if o.unknown {
		return errors.New("hashing names: the recording was changed while it was read: hash it when its recording is over")
	}
	return nil
}

// compounds are the names that Kubernetes makes of two others, with a dash between them, or takes apart.
type compounds struct {
	// bases has the first of the two by the whole name.
	bases map[string]string
	// continued are bases of which every continuation is a compound; nil where compounds are those in bases.
	continued map[string]bool
}

//orrery:limit recordings; names made of two others, of which both are hashed; others are hashed as one
const maxCompounds = 1 << 18

func newCompounds() compounds { return compounds{bases: map[string]string{}} }

// byBase returns the compounds with all names that continue a base of one.
func (c compounds) byBase() compounds {
	continued := map[string]bool{}
	for _, base := range c.bases {
		continued[base] = true
	}
	return compounds{continued: continued}
}

// split returns the parts of a compound. Of several bases the longest is taken.
func (c compounds) split(name string) (base, rest string, ok bool) {
	if base, ok = c.bases[name]; ok {
		return base, name[len(base)+1:], true
	}
	if len(c.continued) == 0 {
		return "", "", false
	}
	for at := len(name) - 1; at > 0; at = strings.LastIndexByte(name[:at], '-') {
		if name[at] == '-' && at < len(name)-1 && c.continued[name[:at]] {
			return name[:at], name[at+1:], true
		}
	}
	return "", "", false
}

// add adds a compound, and reports whether it is new.
func (c compounds) add(base, rest string) bool {
	name := base + "-" + rest
	if _, known := c.bases[name]; known || base == "" || rest == "" || len(c.bases) >= maxCompounds {
		return false
	}
	c.bases[name] = base
	return true
}
