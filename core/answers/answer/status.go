package answer

import "time"

// Status is a pod's state in the scheduler.
type Status struct {
	State string `json:"state"`
	// Terminating is its deletion; nil for a pod that is not being deleted.
	Terminating *Terminating `json:"terminating,omitempty"`
	Node        string       `json:"node,omitempty"`
	Since       time.Time    `json:"since,omitzero"`
	Attempts    int          `json:"attempts"`
	RetryAt     time.Time    `json:"retryAt,omitzero"`
	Gates       []string     `json:"schedulingGates,omitempty"`
	RejectedBy  []string     `json:"rejectedBy,omitempty"`
	// RequeuesOn are the events that requeue it, in words, and RetryBy is when it is tried without one.
	RequeuesOn []string  `json:"requeuesOn,omitempty"`
	RetryBy    time.Time `json:"retryBy,omitzero"`
	// OutOfMemory are the containers that the kernel killed as memory ran out, each with its last kill.
	OutOfMemory []OOMKill `json:"outOfMemory,omitempty"`
	// Queue is where it stands in a scheduler that runs.
	Queue *QueuePosition `json:"queue,omitempty"`
	// Estimated says that it is not the state in the cluster's scheduler, which was not asked, but what follows from the pod's conditions.
	Estimated bool `json:"estimated,omitempty"`
}

// Terminating is the deletion of a pod.
type Terminating struct {
	Since      time.Time `json:"since"`
	Until      time.Time `json:"until"`
	Cause      string    `json:"cause,omitempty"`
	By         string    `json:"by,omitempty"`
	Finalizers []string  `json:"finalizers"`
}

// OOMKill is the last kill of a container as memory ran out.
type OOMKill struct {
	Container string    `json:"container"`
	At        time.Time `json:"at"`
	Restarts  int32     `json:"restarts"`
}

// QueuePosition is where a pod stands in a queue of a running scheduler.
type QueuePosition struct {
	Queue string `json:"queue"`
	// Position counts from 1, of Of pods in the order of the queue. It is 0 in unschedulablePods, whose pods have no turn.
	Position int `json:"position,omitempty"`
	Of       int `json:"of"`
	// DecisionsPerSecond is the present rate, and WaitSeconds what Position takes at that; missing where nothing is decided.
	DecisionsPerSecond float64 `json:"decisionsPerSecond"`
	WaitSeconds        float64 `json:"waitSeconds,omitempty"`
	// LastFailure is what the scheduler wrote of its last attempt; missing before that.
	LastFailure string `json:"lastFailure,omitempty"`
}
