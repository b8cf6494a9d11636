package whatif

import (
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// Verb is what is done in a hypothetical change.
type Verb uint8

// The verbs, with the words that [Parse] reads them from.
const (
	Cordon      Verb = iota // cordon NODE
	Uncordon                // uncordon NODE
	Drain                   // drain NODE
	AddNodes                // add N nodes like NODE
	DeleteNode              // delete node NODE
	DeletePod               // delete pod POD
	SetRequests             // requests POD cpu=AMOUNT memory=AMOUNT
	SetPriority             // priority POD NUMBER|CLASS
	Scale                   // scale OWNER|POD N
	SetProfile              // profile POD NAME
	Taint                   // taint NODE key=value:Effect
	Untaint                 // untaint NODE key[:Effect]
	Ungate                  // ungate POD
	Tolerate                // tolerate POD key[=value][:Effect]
	Unselect                // unselect POD KEY
)

// Change is one hypothetical change. It is plain data: two that are equal mean the same.
type Change struct {
	Verb Verb
	// Name is the node, pod or owner it is about. Pods and owners are NAMESPACE/NAME, or NAME where that is clear.
	Name string
	// Count is how many nodes to add, or how many pods to have.
	Count int
	// Value is the priority, profile, taint, toleration or selector key.
	Value string
	// Requests are what the pod is to ask for in all, by the names of the resources.
	Requests []Request
}

// Request is an amount of a resource, as Kubernetes writes it.
type Request struct {
	Resource v1.ResourceName
	Amount   string
}

// String is the change in the words that [Parse] understands.
func (c Change) String() string { return strings.Join(c.Words(), " ") }

// MarshalText makes a change its words in JSON, too.
func (c Change) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Words are the words of String.
func (c Change) Words() []string {
	switch c.Verb {
	case AddNodes:
		noun := "nodes"
		if c.Count == 1 {
			noun = "node"
		}
		return []string{"add", strconv.Itoa(c.Count), noun, "like", c.Name}
	case DeleteNode:
		return []string{"delete", "node", c.Name}
	case DeletePod:
		return []string{"delete", "pod", c.Name}
	case SetRequests:
		words := []string{"requests", c.Name}
		for _, r := range c.Requests {
			words = append(words, string(r.Resource)+"="+r.Amount)
		}
		return words
	case Scale:
		return []string{"scale", c.Name, strconv.Itoa(c.Count)}
	}
	words := []string{forms[c.Verb].word, c.Name}
	if c.Value != "" {
		words = append(words, c.Value)
	}
	return words
}

// Words are several changes as they are given on a command line, the words of one after those of the other.
func Words(changes []Change) string {
	all := make([]string, len(changes))
	for i, c := range changes {
		all[i] = c.String()
	}
	return strings.Join(all, ", ")
}
