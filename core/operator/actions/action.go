package actions

import (
	"strings"

	"orrery/core/answers/change"
	"orrery/core/safe/plural"
	"orrery/core/world"
)

// Verb is the kind of an action.
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

var verbNames = [...]string{"cordon", "uncordon", "drain", "evict", "delete", "activate", "ungate"}

func (v Verb) String() string { return verbNames[v] }

// Action is one change of a node or pod.
type Action struct {
	Verb Verb
	// Node is the target of Cordon, Uncordon and Drain; Pod that of the others.
	Node string
	Pod  world.PodRef
	// Gates are the scheduling gates to remove for Ungate.
	Gates []string
}

// Target is the node or pod, in words.
func (a Action) Target() string {
	if a.Verb <= Drain {
		return "node " + a.Node
	}
	return "pod " + a.Pod.String()
}

// String is the action in words: "evict pod shop/web-0".
func (a Action) String() string {
	switch a.Verb {
	case Activate:
		return "activate " + a.Target()
	case Ungate:
		return "remove " + plural.Of(len(a.Gates), "scheduling gate") + " " + strings.Join(a.Gates, ", ") + " from " + a.Target()
	}
	return a.Verb.String() + " " + a.Target()
}

// DoneText is the past tense of String.
func (a Action) DoneText() string {
	switch a.Verb {
	case Cordon, Uncordon, Drain:
		return a.Verb.String() + "ed " + a.Target()
	case Evict:
		return "evicted " + a.Target()
	case Delete:
		return "deleted " + a.Target()
	case Activate:
		return "activated " + a.Target()
	}
	return "removed the scheduling gates of " + a.Target()
}

// Command is the same action with kubectl; empty if there is none.
func (a Action) Command() string {
	in := " -n " + a.Pod.Namespace + " " + a.Pod.Name
	switch a.Verb {
	case Cordon, Uncordon:
		return "kubectl " + a.Verb.String() + " " + a.Node
	case Drain:
		return "kubectl drain " + a.Node + " --ignore-daemonsets --delete-emptydir-data --force"
	case Evict: // kubectl has no verb for it
		return `echo '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"` + a.Pod.Namespace + `","name":"` + a.Pod.Name + `"}}' | kubectl create --raw ` +
			"/api/v1/namespaces/" + a.Pod.Namespace + "/pods/" + a.Pod.Name + "/eviction -f -"
	case Delete:
		return "kubectl delete pod" + in
	case Ungate:
		return "kubectl patch pod" + in + ` --type merge -p '{"spec":{"schedulingGates":null}}'`
	}
	return ""
}

// Notes are consequences that the prediction for the pods does not show.
func (a Action) Notes() []string {
	if a.Verb == Drain {
		return []string{
			"Pods of DaemonSets stay; pods without a controller are not recreated.",
			"Data in emptyDir volumes is lost.",
		}
	}
	return nil
}

// Changes returns the action as changes for package whatif; none for Activate.
func (a Action) Changes() []change.Change {
	one := func(verb change.Verb, name string) []change.Change { return []change.Change{{Verb: verb, Name: name}} }
	switch a.Verb {
	case Cordon:
		return one(change.Cordon, a.Node)
	case Uncordon:
		return one(change.Uncordon, a.Node)
	case Drain:
		return one(change.Drain, a.Node)
	case Evict, Delete:
		return one(change.DeletePod, a.Pod.String())
	case Ungate:
		return one(change.Ungate, a.Pod.String())
	}
	return nil
}

// Rules returns the RBAC rules that the action requires.
func (a Action) Rules() []Rule {
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
