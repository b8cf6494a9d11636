package framework

import (
	"strconv"
	"strings"
)

// Counted is a reason of a [FitError] with the number of nodes that have it; 0 for a message of another form, which is one reason.
type Counted struct {
	Nodes  int
	Reason string
}

// String writes it as [FitError] does.
func (c Counted) String() string {
	if c.Nodes == 0 {
		return c.Reason
	}
	return strconv.Itoa(c.Nodes) + " " + c.Reason
}

// CountedIn reads the reasons of a [FitError] in the message of a pod's condition, which any scheduler may have written: all that is known
// of a decision that was not made here.
func CountedIn(message string) []Counted {
	head, list, found := strings.Cut(message, " nodes are available: ")
	if message == "" {
		return nil
	}
	if !found || strings.ContainsAny(head, " \t") {
		return []Counted{{Reason: message}}
	}
	var all []Counted
	list, _, _ = strings.Cut(list, ". ")
	for _, clause := range strings.Split(strings.TrimSuffix(strings.TrimSpace(list), "."), ", ") {
		number, reason, _ := strings.Cut(clause, " ")
		if n, err := strconv.Atoi(number); err == nil {
			all = append(all, Counted{n, reason})
		} else {
			all = append(all, Counted{Reason: clause})
		}
	}
	return all
}

// MainOf returns the reason of the most nodes in a message; zero of an empty one.
func MainOf(message string) (most Counted) {
	for i, c := range CountedIn(message) {
		if i == 0 || c.Nodes > most.Nodes {
			most = c
		}
	}
	return most
}
