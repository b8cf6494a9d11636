package whatif

import (
	"strconv"
	"strings"
	"time"
)

// Command is what to type in a shell to ask about the changes again, of a trace at so long after its beginning.
func Command(trace string, since time.Duration, changes []Change) string {
	return commandAt(trace, "+"+since.String(), changes)
}

// CommandAtRecord is the same of a trace of which so many records were played: a moment that no time names, if more of them
// are of the same time.
func CommandAtRecord(trace string, record int, changes []Change) string {
	return commandAt(trace, "@"+strconv.Itoa(record), changes)
}

func commandAt(trace, at string, changes []Change) string {
	return "orrery whatif --trace " + ShellWord(trace) + " --at " + at + " " + ShellWords(changes)
}

// ShellWords are the changes as they are typed in a shell.
func ShellWords(changes []Change) string {
	words := strings.Fields(Words(changes))
	for i, w := range words {
		words[i] = ShellWord(w)
	}
	return strings.Join(words, " ")
}

// ShellWord quotes a word that a shell would not leave as it is.
func ShellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+@%", r)
	}
	if w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !plain(r) }) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
