package change

import (
	"strconv"
	"strings"
	"time"
)

// Command returns the shell command that evaluates the changes at a time after the start of a trace.
func Command(trace string, since time.Duration, changes []Change) string {
	return commandAt(trace, "+"+since.String(), changes)
}

// CommandAtRecord returns the command for a number of played records, which is exact where several records have the
// same time.
func CommandAtRecord(trace string, record int, changes []Change) string {
	return commandAt(trace, "@"+strconv.Itoa(record), changes)
}

func commandAt(trace, at string, changes []Change) string {
	return "orrery whatif --trace " + ShellWord(trace) + " --at " + at + " " + ShellWords(changes)
}

// ShellWords returns the changes as shell words.
func ShellWords(changes []Change) string {
	words := strings.Fields(Words(changes))
	for i, w := range words {
		words[i] = ShellWord(w)
	}
	return strings.Join(words, " ")
}

// ShellWord quotes a word if a shell would change it.
func ShellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+@%", r)
	}
	if w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !plain(r) }) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
