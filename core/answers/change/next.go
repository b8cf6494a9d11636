package change

import (
	"slices"
	"strings"
)

// Next returns what may follow the first words of a change: words as they are written, and names of what to write, like NODE,
// as [Usage] has them.
func Next(words []string) []string {
	var all []string
	two, hasTwo := withLead(words, 2)
	for i := range syntaxes {
		if hasTwo && Verb(i) != two {
			continue // "taint device" is of devices, though a node may have that name
		}
		for _, next := range syntaxes[i].next(words) {
			if !slices.Contains(all, next) {
				all = append(all, next)
			}
		}
	}
	return all
}

// next takes "[of CLASS]" for two words that may follow in any order, and "[in ZONE|on NODE]" for one of two such pairs.
func (s *syntax) next(words []string) []string {
	required, optional, _ := strings.Cut(s.usage, " [")
	sequence := strings.Fields(required)
	for i, want := range sequence {
		if i == len(words) {
			return []string{want}
		}
		if isWord(want) && words[i] != want && words[i]+"s" != want { // add 1 node, add 2 nodes
			return nil
		}
	}
	given, rest := words[len(sequence):], strings.Fields(strings.NewReplacer("]", "", "[", "", "|", " ").Replace(optional))
	if len(given)%2 == 1 {
		if at := slices.Index(rest, given[len(given)-1]); at >= 0 && at+1 < len(rest) {
			return rest[at+1 : at+2]
		}
		return nil
	}
	var leads []string
	for _, word := range rest {
		if isWord(word) && !slices.Contains(given, word) {
			leads = append(leads, word)
		}
	}
	return leads
}

// isWord tells a word from the name of what to write.
func isWord(token string) bool { return token == strings.ToLower(token) }
