package views

import (
	"time"

	"orrery/views/filter"
)

// Model is all the data of a frame. A nil part is unknown, which its pane shows.
type Model struct {
	Header    Header
	Queue     *Queue
	Journey   *Journey
	Snapshot  *Snapshot
	Node      *NodeDetail
	Zones     *Zones
	Orrery    *Orrery
	Evictions *Evictions
	Leader    *Leader
	Decisions *Decisions
	// Feed are the latest decisions for the overview, the newest first.
	Feed       []DecisionRow
	Explain    *Explanation
	Plugins    *Plugins
	Metrics    *Metrics
	Timeline   *Timeline
	WhatIf     *WhatIf
	Pending    *Pending
	Comparison *Comparison
	Agreement  *Agreement
	Pressure   *Pressure
	Storage    *Storage
	Devices    *Devices
	Gangs      *Gangs
	// Clusters are set while a console shows the list of its clusters, and Causes for a row of that list.
	Clusters *Clusters
	Causes   *PendingCauses
	// Preview is what enter would open, beside the list; nil if it is not shown or not read yet.
	Preview *Preview
	// List is the open pane's *[List], for a pane whose rows have no field of their own.
	List any
	// Forbidden maps panes that are empty for lack of permissions to the text they show instead.
	Forbidden map[PaneID]string
	// Filtered is the result of filtering or sorting the open pane's list; nil if the list is neither filtered nor
	// sorted.
	Filtered *Filtered
}

// Partial reports whether the next model has more: a long list was filtered, or storage, devices or gangs read, in part, or remedies
// are still looked for.
func (m *Model) Partial() bool {
	return m.Filtered != nil && m.Filtered.Partial || m.Storage != nil && m.Storage.Reading || m.Devices != nil && m.Devices.Reading ||
		m.Gangs != nil && m.Gangs.Reading || m.Header.Health.Reading || m.Explain != nil && m.Explain.Searching ||
		m.Preview != nil && m.Preview.Explain != nil && m.Preview.Explain.Searching
}

// Filtered is how many rows match a filter. A long list is filtered in parts: while it is Partial, the next model has
// more.
type Filtered = filter.Result

// List is the collected part of a list: Rows start at index First, of Total rows.
type List[T any] struct {
	First, Total int
	Rows         []T
}

// At returns the i-th row of the whole list; nil if it was not collected.
func (l *List[T]) At(i int) *T {
	if i < l.First || i >= l.First+len(l.Rows) {
		return nil
	}
	return &l.Rows[i-l.First]
}

// Mode is how the program relates to the cluster.
type Mode uint8

// The modes.
const (
	Demo   Mode = iota // plays a recording
	Shadow             // watches a cluster and decides beside its scheduler
	Acting             // is the cluster's scheduler
	WhatIfMode
	Attached // follows a scheduler that runs elsewhere
)

func (m Mode) String() string {
	return [...]string{"DEMO", "SHADOW", "ACTIVE", "WHAT-IF", "ATTACHED"}[m]
}

// Header holds the facts of the first line.
type Header struct {
	Source     string // the name of a recording or a cluster
	Mode       Mode
	Acts       bool // keys change the cluster
	Leader     string
	LeaseLeft  time.Duration // until the lease expires
	Generation int64
	// Rate is decisions per second, P99 the p99 attempt latency; zero if not measured.
	Rate float64
	P99  time.Duration
	// RequeueRule is the rule by which failed pods are requeued; empty for the default, queueing hints.
	RequeueRule string
	// Gates are the feature gates that are not at their defaults, GateCount is how many; empty and zero if all are.
	Gates     string
	GateCount int
	// Kubernetes is the release that is decided as. NamesRelease says that the header names it: of a recording of 1.35 it goes without saying.
	// NewerServer is the version of an API
	// server that is newer than all releases that are modelled.
	Kubernetes, NewerServer string
	NamesRelease            bool
	// Compared is how many decisions of the cluster's scheduler were compared, AgreementRate the share as good as
	// Orrery's, from 0 to 1; both are zero without a comparison.
	Compared      int64
	AgreementRate float64
	// Alert replaces the other facts, such as when the connection is lost. Unreadable is how many kinds of objects may not be read,
	// or not wholly, if that is what the alert is about: the rest is as current as ever.
	Alert      string
	Unreadable int
	// Blind means that nothing comes from the cluster: what is shown is its state at AsOf. Silent is for how long it has said nothing, if it
	// does not answer at all. AsOf alone is set while that is being found out. BlindReason is why nothing comes, in a few words.
	Blind       bool
	AsOf        time.Time
	Silent      time.Duration
	BlindReason string
	Health      Health
}

// Timeline is the time span of a recording, or of a run so far.
type Timeline struct {
	// Title is the recording's story in a line; empty if it has none.
	Title string
	// Opened is how long after the start the recording was opened; zero at the start.
	Opened         time.Duration
	Start, End, At time.Time
	Speed          string
	Paused         bool
	Marks          []Mark
	// Rate is decisions per second and Depth the number of pending pods, one value for each Step from Start on. Depth
	// ends where the recording was not replayed yet. Both are empty if nothing is counted.
	Step        time.Duration
	Rate, Depth []float64
	// Listed are the marks that the timeline pane lists.
	Listed List[Mark]
}

// Mark is a notable time.
type Mark struct {
	At    time.Time
	Label string
	// Kind names the kind of mark in a word or two, Glyph is its sign, and Bad marks a problem.
	Kind  string
	Glyph rune
	Bad   bool
	// Annotated means that a person wrote the mark; such marks are drawn over detected ones. News means that the caption tells
	// of it although it was detected.
	Annotated, News bool
}

// Metrics are curves, oldest value first, one value for every Step.
type Metrics struct {
	Step        time.Duration
	Rate, Depth []float64 // decisions per second; pending pods
	P99         []float64 // seconds
	Attempts    []NamedCount
	Latency     []Quantile
	// CachePods is how many pods the cache has on nodes; AssumedPods of them are not yet bound.
	CachePods, AssumedPods int
}

// NamedCount is a count of something.
type NamedCount struct {
	Name  string
	Count int64
	Bad   bool
}

// Quantile is the longest duration of a share of the attempts.
type Quantile struct {
	Name     string
	Duration time.Duration
}

// Plugins holds every plugin's cost and rejections, in the order in which plugins run.
type Plugins struct {
	Profile string
	List    List[PluginRow]
}

// PluginRow is one plugin at one extension point.
type PluginRow struct {
	Point, Plugin string
	Weight        int
	Calls         int64
	Mean, P99     time.Duration
	// Share is the plugin's share of all time spent in plugins.
	Share      float64
	Rejections int64
}
