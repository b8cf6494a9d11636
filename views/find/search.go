package find

import (
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"
)

// Match is a thing that a query matches, and the bytes of its name that it matches.
type Match struct {
	*Thing
	Marks []bool // nil if the name has none
}

// The bounds of a search.
const (
	//orrery:limit screen; things that a query is said to find; it finds the best, and counts the others
	maxMatches = 200
	//orrery:limit screen; words of a query that finds things; the others are ignored
	maxWords = 8
	// fewMatches is up to how many names with the text letters in their order are looked for, too.
	fewMatches = 20
	//orrery:limit screen; names that have the letters of a query in their order and are ranked; the others are not found by them
	maxCandidates = 2000
)

// How well a word matches, from the whole name to letters in their order.
const (
	whole     = 600
	nameStart = 500
	partStart = 400
	inside    = 300
	atEnd     = 20 // beside
	inKind    = 200
	inAbout   = 150
	scattered = 100 // at most
)

// word is a word of a query, which letters it has, and the kinds that it may name.
type word struct {
	text  string
	has   uint64
	kinds [kinds]bool
}

func wordsOf(query string) []word {
	fields := strings.Fields(strings.ToLower(query))
	words := make([]word, min(len(fields), maxWords))
	for i := range words {
		w := &words[i]
		w.text, w.has = fields[i], lettersOf(fields[i])
		for k, name := range kindWords {
			w.kinds[k] = strings.HasPrefix(name, w.text)
		}
	}
	return words
}

// Find returns the best matches and how many there are.
func (x *Index) Find(query string) (best []Match, total int) {
	words := wordsOf(query)
	x.scores, x.fits = slices.Grow(x.scores[:0], len(x.things))[:len(x.things)], x.fits[:0]
	for i := range x.things {
		if x.scores[i] = x.score(i, words); x.scores[i] >= 0 {
			x.fits = append(x.fits, int32(i))
		}
	}
	if len(x.fits) < fewMatches && len(words) > 0 {
		x.findScattered(words)
	}
	for _, i := range x.top(maxMatches) {
		best = append(best, Match{&x.things[i], x.marks(int(i), words)})
	}
	return best, len(x.fits)
}

// score returns how well all words match a thing, -1 if one does not.
func (x *Index) score(i int, words []word) int16 {
	if len(words) == 0 {
		return x.bonus[i]
	}
	sum, of := 0, &x.texts[i]
	for w := range words {
		s := 0
		if words[w].has&^of.nameHas == 0 {
			s = inName(of.name, words[w].text)
		}
		if s == 0 {
			if s = x.besideName(i, &words[w]); s == 0 {
				return -1
			}
		}
		sum += s
	}
	return int16(sum/len(words)) + x.bonus[i]
}

// inName returns how well a word matches a name; zero if the name does not have it.
func inName(name, word string) int {
	at := strings.Index(name, word)
	if at < 0 {
		return 0
	}
	object := strings.LastIndexByte(name, '/') + 1
	best := 0
	for ; at >= 0; at = next(name, word, at) {
		s := inside
		switch {
		case at == object:
			s = nameStart
		case at == 0 || separates(name[at-1]):
			s = partStart
		}
		if at+len(word) == len(name) {
			if s += atEnd; at == object || at == 0 {
				s = whole
			}
		}
		best = max(best, s)
	}
	return best
}

// next returns where a word comes again after a place; -1 if it does not.
func next(name, word string, at int) int {
	i := strings.Index(name[at+1:], word)
	if i < 0 {
		return -1
	}
	return at + 1 + i
}

func separates(c byte) bool { return c == '/' || c == '-' || c == '.' || c == '_' || c == ' ' }

// besideName returns how well a word matches the kind of a thing, or what is said about it.
func (x *Index) besideName(i int, w *word) int {
	of := &x.texts[i]
	switch {
	case w.kinds[of.kind], of.kind <= Pane && x.things[i].Shortcut == w.text:
		return inKind
	case w.has&^of.aboutHas == 0 && strings.Contains(of.about, w.text):
		return inAbout
	}
	return 0
}

// findScattered adds the things of which the name has the letters of each word in their order.
func (x *Index) findScattered(words []word) {
	found := len(x.fits)
	for i := range x.things {
		if len(x.fits)-found == maxCandidates {
			break
		}
		if x.scores[i] >= 0 {
			continue
		}
		if s := x.scatteredScore(i, words); s > 0 {
			x.scores[i] = int16(s) + x.bonus[i]
			x.fits = append(x.fits, int32(i))
		}
	}
}

func (x *Index) scatteredScore(i int, words []word) int {
	sum := 0
	for w := range words {
		s := x.inLetters(i, &words[w])
		if s == 0 {
			if s = x.besideName(i, &words[w]); s == 0 {
				return 0
			}
		}
		sum += s
	}
	return sum / len(words)
}

// inLetters returns how well a name has the letters of a word in their order; zero if it has not.
func (x *Index) inLetters(i int, w *word) int {
	of := &x.texts[i]
	if w.has&^of.nameHas != 0 || len(w.text) < 2 || !inOrder(of.name, w.text) {
		return 0
	}
	for _, m := range fuzzy.Find(w.text, []string{of.name}) {
		return max(min(scattered/2+m.Score, scattered), 1)
	}
	return 0
}

// inOrder reports whether a name has the bytes of a word in their order.
func inOrder(name, word string) bool {
	for i := range len(word) {
		at := strings.IndexByte(name, word[i])
		if at < 0 {
			return false
		}
		name = name[at+1:]
	}
	return true
}

// top returns the best of what fits, at most n, the best first; among equals the first.
func (x *Index) top(n int) []int32 {
	const most = whole + atEnd + recentBonus + badBonus + 10
	var counts [most + 1]int
	for _, i := range x.fits {
		counts[x.scores[i]]++
	}
	least, above := most, 0
	for least > 0 && above+counts[least] < n {
		above += counts[least]
		least--
	}
	var chosen []int32
	atLeast := n - above // so many of the things with the least score
	for _, i := range x.fits {
		switch s := int(x.scores[i]); {
		case s > least:
			chosen = append(chosen, i)
		case s == least && atLeast > 0:
			atLeast--
			chosen = append(chosen, i)
		}
	}
	slices.SortStableFunc(chosen, func(a, b int32) int {
		if d := int(x.scores[b]) - int(x.scores[a]); d != 0 {
			return d
		}
		return int(a - b)
	})
	return chosen
}

// marks returns which bytes of a thing's name the words match; nil if none.
func (x *Index) marks(i int, words []word) []bool {
	name := x.texts[i].name
	if len(name) != len(x.things[i].Name) { // another case has another length: the places are not the same
		return nil
	}
	var marks []bool
	mark := func(from, n int) {
		if marks == nil {
			marks = make([]bool, len(name))
		}
		for at := from; at < from+n; at++ {
			marks[at] = true
		}
	}
	for w := range words {
		text := words[w].text
		switch at := bestPlace(name, text); {
		case at >= 0:
			mark(at, len(text))
		case x.besideName(i, &words[w]) == 0:
			for _, m := range fuzzy.Find(text, []string{name}) {
				for _, at := range m.MatchedIndexes {
					mark(at, 1)
				}
			}
		}
	}
	return marks
}

// bestPlace returns where a name has a word as its score counts it; -1 for nowhere.
func bestPlace(name, word string) int {
	place, best := -1, 0
	for at := strings.Index(name, word); at >= 0; at = next(name, word, at) {
		if s := inName(name[:at+len(word)], word); s >= best {
			place, best = at, s
		}
	}
	return place
}
