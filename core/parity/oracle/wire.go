package oracle

import (
	"encoding/json"

	"orrery/core/parity/oracle/extenderserver"
)

// Request asks for one thing. At most one of Begin, Change, Decide and End is set; with none of them only time passes.
type Request struct {
	// At is the virtual time at which it happens, in nanoseconds since 1970.
	At int64 `json:"at"`
	// Version is the last resource version that was given to an object.
	Version int `json:"version"`

	Begin  *Case   `json:"begin,omitempty"`
	Change *Change `json:"change,omitempty"`
	// Decide has the scheduler decide about the next pod, if one can be popped.
	Decide bool `json:"decide,omitempty"`
	End    bool `json:"end,omitempty"`
}

// Case is what a scheduler is started with.
type Case struct {
	// Gates are set, all others have their defaults.
	Gates map[string]bool `json:"gates,omitempty"`
	// Config is a configuration file.
	Config    string                 `json:"config"`
	Extenders []extenderserver.Rules `json:"extenders,omitempty"`
	// Refused has the names of pods whose first binding fails, and of volumes and claims whose first write fails.
	Refused []string `json:"refused,omitempty"`
	// Uncleared has the names of pods whose nomination is not cleared at the first attempt.
	Uncleared []string `json:"uncleared,omitempty"`
}

// Change is one change of the cluster.
type Change struct {
	Op Op `json:"op"`
	Object
}

// Op is what becomes of an object.
type Op string

const (
	Added    Op = "added"
	Modified Op = "modified"
	Deleted  Op = "deleted"
)

// Object is an object of the API.
type Object struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	JSON       json.RawMessage `json:"object"`
}

// Reply has what happened since the last one, and the state after it.
type Reply struct {
	// At is the virtual time. It is later than the request's if the scheduler slept meanwhile.
	At      int64 `json:"at"`
	Version int   `json:"version"`
	// Refused says why no scheduler can be started with a case.
	Refused string `json:"refused,omitempty"`

	// Decision is nil if there was nothing to decide, or no decision was asked for.
	Decision *Decision `json:"decision,omitempty"`
	// Calls are writes of pods, in order.
	Calls []Call `json:"calls,omitempty"`
	// Written are the volumes and claims that were written, in order.
	Written []Object `json:"written,omitempty"`
	// Claims are claims for devices after each write, in order; Freed are the names of those that were deleted.
	Claims []Object `json:"claims,omitempty"`
	Freed  []string `json:"freed,omitempty"`
	Events []Event  `json:"events,omitempty"`

	// Pods are those without a node, by namespace and name.
	Pods map[string]Pod `json:"pods,omitempty"`
	// Nominated has the names of the pods that are nominated for each node that has any.
	Nominated map[string][]string `json:"nominated,omitempty"`
	// AssumedVolumes and AssumedClaims are what is assumed of volumes and claims.
	AssumedVolumes map[string]json.RawMessage `json:"assumedVolumes,omitempty"`
	AssumedClaims  map[string]json.RawMessage `json:"assumedClaims,omitempty"`
	// Devices are the allocated devices, and what is consumed of their capacity, in order.
	Devices []string `json:"devices,omitempty"`
}

// Decision is one scheduling attempt.
type Decision struct {
	Pod     string `json:"pod"`
	Node    string `json:"node,omitempty"`
	Message string `json:"message,omitempty"`
	// Nominated is the pod's nominated node after the attempt. It is nil if the attempt does not change it.
	Nominated *string `json:"nominated,omitempty"`
	// Rejections are the reasons of nodes, by plugin.
	Rejections []Rejection `json:"rejections,omitempty"`
	// Start is the index at which the search begins, Next that of the next search. Examined is negative if it is not known.
	Start    int `json:"start"`
	Next     int `json:"next"`
	Examined int `json:"examined"`
	Feasible int `json:"feasible"`
}

// Rejection is a reason for which a plugin rejects nodes.
type Rejection struct {
	Plugin string `json:"plugin"`
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
}

// Call is one write of a pod. One of Patch, Bind and Delete is set.
type Call struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Patch     string `json:"patch,omitempty"`
	// Bind is the node.
	Bind   string `json:"bind,omitempty"`
	Delete bool   `json:"delete,omitempty"`
}

// Event is an event about a pod.
type Event struct {
	Pod    string `json:"pod"`
	Type   string `json:"type"`
	Reason string `json:"reason"`
	Action string `json:"action"`
	Note   string `json:"note"`
}

// Pod is what the scheduling queue knows about a pod.
type Pod struct {
	// Queue is active, backoff, unschedulable or gated; it is empty if the pod is in none.
	Queue string `json:"queue,omitempty"`
	// Known reports whether the queue has the pod.
	Known         bool     `json:"known,omitempty"`
	Attempts      int      `json:"attempts,omitempty"`
	Unschedulable int      `json:"unschedulable,omitempty"`
	Errors        int      `json:"errors,omitempty"`
	Rejectors     []string `json:"rejectors,omitempty"`
	Pending       []string `json:"pending,omitempty"`
	// Gate is the plugin that gates the pod, Gates all that would.
	Gate  string   `json:"gate,omitempty"`
	Gates []string `json:"gates,omitempty"`
}
