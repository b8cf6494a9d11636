package answer

import "time"

// Group is pending pods of one owner that wait for the same reason.
type Group struct {
	Namespace string   `json:"namespace"`
	Owner     string   `json:"owner"` // "deployment/web", or "pod/web" for a pod without a controller
	Pods      []string `json:"pods"`
	// Oldest is the earliest creation time.
	Oldest  time.Time `json:"oldest"`
	Waiting string    `json:"waiting,omitempty"`
	Summary string    `json:"summary"`
	// Gang is the argument of explain for the gang that holds the pods back.
	Gang string    `json:"gang,omitempty"`
	Fix  *GroupFix `json:"fix,omitempty"`
	// Places is the number of the group's pods that the fix places.
	Places int `json:"places,omitempty"`
}

// GroupFix is the change that places the most pods of a group, when it is made to each of them. Command evaluates that; of a change to
// many pods, the one to the first.
type GroupFix struct {
	Change  string `json:"change"`
	Text    string `json:"text"`
	Command string `json:"command"`
	// OnePod says that Command is of the first pod alone.
	OnePod bool `json:"onePod,omitempty"`
	// Each says that it is made to each of several pods.
	Each bool `json:"-"`
}

// Capacity is more nodes like an existing one, and how many pods those place.
type Capacity struct {
	Like   string `json:"like"`
	Nodes  int    `json:"nodes"`
	Places int    `json:"places"`
}
