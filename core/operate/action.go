package operate

import (
	"strings"

	"orrery/core/whatif"
	"orrery/core/world"
)

// Verb is what is done.
type Verb uint8

// The verbs.
const (
	Cordon Verb = iota
	Uncordon
	Drain
	Evict
	Delete
	Activate
	Ungate
)

var verbWords = [...]string{"cordon", "uncordon", "drain", "evict", "delete", "activate", "ungate"}

func (v Verb) String() string { return verbWords[v] }

// Action is one thing to be done to one node or pod.
type Action struct {
	Verb Verb
	// Node is the node of Cordon, Uncordon and Drain; Pod the pod of the others.
	Node string
	Pod  world.Ref
	// Gates are the scheduling gates that Ungate takes off.
	Gates []string
}

// On is what it is about, as people name it.
func (a Action) On() string {
	if a.Verb <= Drain {
		return "node " + a.Node
	}
	return "pod " + a.Pod.String()
}

// String is the action in words.
func (a Action) String() string {
	switch a.Verb {
	case Activate:
		return "try " + a.On() + " at once"
	case Ungate:
		return "take " + plural(len(a.Gates), "the scheduling gate ", "the scheduling gates ") + strings.Join(a.Gates, ", ") + " off " + a.On()
	}
	return a.Verb.String() + " " + a.On()
}

// Done is the action in words once it is done.
func (a Action) Done() string {
	switch a.Verb {
	case Cordon, Uncordon, Drain:
		return a.Verb.String() + "ed " + a.On()
	case Evict, Delete:
		return "asked " + a.On() + " to leave"
	case Activate:
		return a.On() + " is tried at once"
	}
	return "took the gates off " + a.On()
}

// Command is how a shell would do the same; empty where none can.
func (a Action) Command() string {
	in := " -n " + a.Pod.Namespace + " " + a.Pod.Name
	switch a.Verb {
	case Cordon, Uncordon:
		return "kubectl " + a.Verb.String() + " " + a.Node
	case Drain:
		return "kubectl drain " + a.Node + " --ignore-daemonsets --delete-emptydir-data --force"
	case Delete:
		return "kubectl delete pod" + in
	case Ungate:
		return "kubectl patch pod" + in + ` --type merge -p '{"spec":{"schedulingGates":null}}'`
	}
	return ""
}

// Notes are what has to be known of the action beside what it would do to the pods.
func (a Action) Notes() []string {
	if a.Verb == Drain {
		return []string{
			"Pods of daemon sets stay; those without a controller do not come back.",
			"What is in emptyDir volumes is lost.",
		}
	}
	return nil
}

// Changes are the action as a question to package whatif; there are none for what only hurries.
func (a Action) Changes() []whatif.Change {
	one := func(verb whatif.Verb, name string) []whatif.Change { return []whatif.Change{{Verb: verb, Name: name}} }
	switch a.Verb {
	case Cordon:
		return one(whatif.Cordon, a.Node)
	case Uncordon:
		return one(whatif.Uncordon, a.Node)
	case Drain:
		return one(whatif.Drain, a.Node)
	case Evict, Delete:
		return one(whatif.DeletePod, a.Pod.String())
	case Ungate:
		return one(whatif.Ungate, a.Pod.String())
	}
	return nil
}

// Needs are the rules that the action needs the permission of.
func (a Action) Needs() []Rule {
	switch a.Verb {
	case Cordon, Uncordon:
		return []Rule{{Resource: "nodes", Verb: "patch"}}
	case Drain:
		return []Rule{{Resource: "nodes", Verb: "patch"}, {Resource: "pods", Verb: "list"}, {Resource: "pods/eviction", Verb: "create"}}
	case Evict:
		return []Rule{{Resource: "pods/eviction", Verb: "create", Namespace: a.Pod.Namespace}}
	case Delete:
		return []Rule{{Resource: "pods", Verb: "delete", Namespace: a.Pod.Namespace}}
	case Ungate:
		return []Rule{{Resource: "pods", Verb: "patch", Namespace: a.Pod.Namespace}}
	}
	return nil
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
