package change

import (
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/plural"
)

// Verb is the action of a change.
type Verb uint8

// The verbs, in the syntax that [Parse] reads.
const (
	Cordon          Verb = iota // cordon NODE
	Uncordon                    // uncordon NODE
	Drain                       // drain NODE
	AddNodes                    // add N nodes like NODE
	AddVolume                   // add pv SIZE [of CLASS] [in ZONE|on NODE]
	DeleteNode                  // delete node NODE
	DeletePod                   // delete pod POD
	DeleteClaim                 // delete pvc CLAIM
	SetRequests                 // requests POD cpu=AMOUNT memory=AMOUNT
	SetPriority                 // priority POD NUMBER|CLASS
	Scale                       // scale OWNER|POD N
	SetProfile                  // profile POD NAME
	SetClass                    // class CLAIM CLASS
	SetCapacity                 // capacity CLASS SIZE [in ZONE]
	Taint                       // taint NODE key=value:Effect
	Untaint                     // untaint NODE key[:Effect]
	Ungate                      // ungate POD
	Tolerate                    // tolerate POD key[=value|<n|>n][:Effect]
	Select                      // select POD KEY=VALUE [replacing KEY]
	Unselect                    // unselect POD KEY
	SetSpread                   // spread POD KEY FIELD=VALUE
	Label                       // label NODE KEY=VALUE
	Move                        // move POD NODE
	DeleteGang                  // delete gang GANG
	SetMinCount                 // mincount GROUP N
	Upgrade                     // upgrade RELEASE
	AddShape                    // add nodes N NAME=VALUE...
	AddDevice                   // add device like DEVICE [on NODE]
	TaintDevice                 // taint device DEVICE key=value:Effect
	UntaintDevice               // untaint device DEVICE key[:Effect]
	FreeClaim                   // free claim RESOURCECLAIM
	SetDeviceClass              // class claim RESOURCECLAIM DEVICECLASS [of REQUEST]
	SetDeviceCount              // count claim RESOURCECLAIM N [of REQUEST]
	RelaxClaim                  // relax claim RESOURCECLAIM [of REQUEST]
	DropConstraint              // unconstrain claim RESOURCECLAIM ATTRIBUTE
	TolerateDevices             // tolerate claim RESOURCECLAIM key[=value][:Effect] [of REQUEST]
)

// Change is one hypothetical change. It is plain data: equal values mean the same change.
type Change struct {
	Verb Verb
	// Name is the node, pod, owner, claim, storage class, gang or device to change. Pods, owners and claims are NAMESPACE/NAME, or
	// NAME where that is unique. Devices are DRIVER/POOL/DEVICE, or POOL/DEVICE where that is unique. A group of pods is
	// NAMESPACE/WORKLOAD/GROUP, and a gang that, or the replica of a group with /REPLICA. Of an upgrade it is the release of Kubernetes.
	Name string
	// Count is the number of nodes to add, of pods to have or to bind together, or of devices to request.
	Count int
	// Value is the priority, profile, taint, toleration, label, selector key or node, a field of a spread constraint, the class of a claim or the attribute that its devices
	// are constrained by, or the zone of storage.
	Value string
	// Node is the only node that can use a new volume or device.
	Node string
	// Of is the request of a claim for devices, empty for all; the key that a selected label replaces; or the topology of a spread
	// constraint.
	Of string
	// Requests are the pod's new total requests, the size of storage, or what a new node has.
	Requests []Request
	// Traits are the labels and taints of new nodes of a shape, with spaces between them, as they are written.
	Traits string
}

// Request is an amount of a resource as a Kubernetes quantity.
type Request struct {
	Resource v1.ResourceName
	Amount   string
}

// String returns the change in the syntax that [Parse] reads.
func (c Change) String() string { return strings.Join(c.Words(), " ") }

// MarshalText writes a change as its String, also in JSON.
func (c Change) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Words returns the words of String.
func (c Change) Words() []string {
	switch c.Verb {
	case AddNodes:
		return []string{"add", strconv.Itoa(c.Count), plural.Of(c.Count, "node"), "like", c.Name}
	case AddShape:
		return append([]string{"add", "nodes", strconv.Itoa(c.Count)}, c.shapeWords()...)
	case DeleteNode:
		return []string{"delete", "node", c.Name}
	case AddVolume, SetCapacity:
		return c.storageWords()
	case DeletePod:
		return []string{"delete", "pod", c.Name}
	case DeleteGang:
		return []string{"delete", "gang", c.Name}
	case DeleteClaim:
		return []string{"delete", "pvc", c.Name}
	case SetRequests:
		words := []string{"requests", c.Name}
		for _, r := range c.Requests {
			words = append(words, string(r.Resource)+"="+r.Amount)
		}
		return words
	case Select:
		words := []string{"select", c.Name, c.Value}
		if c.Of != "" {
			words = append(words, "replacing", c.Of)
		}
		return words
	case SetSpread:
		return []string{"spread", c.Name, c.Of, c.Value}
	case Scale, SetMinCount:
		return []string{syntaxes[c.Verb].verb, c.Name, strconv.Itoa(c.Count)}
	}
	if c.Verb >= AddDevice {
		return c.deviceWords()
	}
	words := []string{syntaxes[c.Verb].verb, c.Name}
	if c.Value != "" {
		words = append(words, c.Value)
	}
	return words
}

// In returns the change with what it names in a namespace, if that is an object of one and the name has none.
func (c Change) In(namespace string) Change {
	words := strings.Fields(syntaxes[c.Verb].usage)
	if name := words[len(strings.Fields(syntaxes[c.Verb].verb))]; slices.Contains(namespaced, name) && !strings.Contains(c.Name, "/") {
		c.Name = namespace + "/" + c.Name
	}
	return c
}

// namespaced are what usages call objects that are in a namespace.
var namespaced = []string{"POD", "OWNER|POD", "CLAIM", "RESOURCECLAIM"}

// Words returns several changes in the syntax that [ParseAll] reads.
func Words(changes []Change) string {
	all := make([]string, len(changes))
	for i, c := range changes {
		all[i] = c.String()
	}
	return strings.Join(all, ", ")
}
