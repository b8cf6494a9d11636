package views

import "time"

// Model is everything there is to show. A part that is nil is not known, which its pane says.
type Model struct {
	Header    Header
	Queue     *Queue
	Journey   *Journey
	Snapshot  *Snapshot
	Node      *NodeDetail
	Zones     *Zones
	Evictions *Evictions
	Leader    *Leader
	Decisions *Decisions
	Explain   *Explanation
	Plugins   *Plugins
	Metrics   *Metrics
	Timeline  *Timeline
	WhatIf    *WhatIf
	Agreement *Agreement
	Pressure  *Pressure
	// Hidden are the panes that have nothing to show for want of a right, and the words that they say instead.
	Hidden map[PaneID]string
	// Narrowed is what a filter or another order left of the open pane's list; nil where it is shown as it is.
	Narrowed *Narrowed
}

// Narrowed is how many rows of a list a filter left. A long list is gone through bit by bit: while it is Partial, the
// next model has more.
type Narrowed struct {
	Matches, Of int
	Partial     bool
}

// List is the part of a list that was collected: Rows are those from First on, of Total in all.
type List[T any] struct {
	First, Total int
	Rows         []T
}

// At is the i-th row of the whole list, or nil if it was not collected.
func (l *List[T]) At(i int) *T {
	if i < l.First || i >= l.First+len(l.Rows) {
		return nil
	}
	return &l.Rows[i-l.First]
}

// Mode is what the program does to the world.
type Mode uint8

// The modes.
const (
	Demo   Mode = iota // plays a recording
	Shadow             // watches a cluster and decides beside its scheduler
	Acting             // is the cluster's scheduler
	Hypothetical
)

func (m Mode) String() string { return [...]string{"DEMO", "SHADOW", "ACTIVE", "WHAT-IF"}[m] }

// Header is where one is and how it goes.
type Header struct {
	Source     string // a recording's name, or a cluster's
	Mode       Mode
	Leader     string
	LeaderLeft time.Duration // until the lease runs out
	Generation int64
	// Rate is decisions per second, P99 how long the slowest hundredth of them take at least; zero if not measured.
	Rate float64
	P99  time.Duration
	// Compared decisions of the cluster's scheduler are as good as Orrery's at this rate, from 0 to 1; zero if there is none.
	Compared int64
	Agrees   float64
	// Alert is said in place of anything else, such as a lost connection.
	Alert string
}

// Timeline is a recording's time, or that of a run so far.
type Timeline struct {
	Start, End, At time.Time
	Speed          string
	Paused         bool
	Marks          []Mark
	// Rate is decisions a second and Depth how many pods waited, each value for a Step from Start on. Depth ends where
	// nobody has played yet. Both are empty where nobody counts.
	Step        time.Duration
	Rate, Depth []float64
	// Listed are the marks that a filter or another order left of the list of them; nil where all are listed as they are.
	Listed *List[Mark]
}

// List is the list of marks.
func (t *Timeline) List() *List[Mark] {
	if t.Listed != nil {
		return t.Listed
	}
	return &List[Mark]{Total: len(t.Marks), Rows: t.Marks}
}

// Mark is a moment worth going to.
type Mark struct {
	At    time.Time
	Label string
	// Kind says in a word or two what kind of moment it is, Glyph is its sign, and Bad says that it is no good news.
	Kind  string
	Glyph rune
	Bad   bool
	// Told says that a person wrote it, which is worth more than what was noticed.
	Told bool
}

// Metrics are curves, oldest value first, one value for every Step.
type Metrics struct {
	Step        time.Duration
	Rate, Depth []float64 // decisions a second; waiting pods
	P99         []float64 // seconds
	Attempts    []Tally
	Latency     []Quantile
	// CachePods are on nodes, Underway of them on their way there.
	CachePods, Underway int
}

// Tally is a count of something.
type Tally struct {
	Name  string
	Count int64
	Bad   bool
}

// Quantile is how long a share of the attempts took at most.
type Quantile struct {
	Name string
	Took time.Duration
}

// Plugins says what every plugin costs and decides, in the order in which they run.
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
	// Share is its part of all the time spent in plugins.
	Share      float64
	Rejections int64
}
