package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/console"
	"orrery/core/engine"
	"orrery/core/operate"
	"orrery/core/printable"
	"orrery/core/usage"
	"orrery/core/whatif"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// Waking is a Source that says by itself when something has changed. In between it is looked at once a second, as countdowns
// go on.
type Waking interface {
	Wake() <-chan struct{}
}

// Held is a Source whose engine another goroutine drives. It stands still for as long as a function given to Hold runs.
type Held interface {
	Hold(look func())
}

// Knowing is a Source that adds to a model what neither engine nor chronicle knows.
type Knowing interface {
	Add(m *views.Model, look collect.Look)
}

// Measured is a Source whose nodes can be asked what they use.
type Measured interface {
	// Usage is what is known of a node, which is asked for more as long as this is called; nil if there is no such node.
	Usage(node string) *usage.Reading
}

// Operated is a Source whose cluster can be changed.
type Operated interface {
	// Unable says why it cannot; empty if it can.
	Unable() string
	// Hand is who carries changes out.
	Hand() operate.Hand
}

// Accessed is a Source of which not everything may be seen.
type Accessed interface {
	// Access tells of what may not, as text to read. Within is the one namespace of which pods may be seen; empty for all.
	Access() string
	Within() string
}

// Switched is a Source that can watch another cluster instead.
type Switched interface {
	// Contexts are the names of all there are.
	Contexts() []string
	// Dial opens another, off the pump's goroutine; the namespace is for those of which no more may be seen, empty for the
	// one that the context names. Calling change, on the pump's, watches it from then on; what was watched before is to be
	// closed by calling leave.
	Dial(ctx context.Context, name, namespace string) (change func() (leave func()), err error)
}

// Cluster is a session with a cluster, and what it is called.
type Cluster struct {
	Name      string
	Session   *console.Session
	Chronicle *collect.Chronicle
	// Usage reads what nodes use.
	Usage *usage.Reader
}

// Close ends the session, and gives up what is read.
func (c *Cluster) Close() {
	c.Session.Close()
	c.Usage.Close()
}

// LiveOptions are how clusters are watched.
type LiveOptions struct {
	// Open opens the cluster of a kubeconfig's context; Contexts are the names of all there are. The namespace is shown where
	// no more may be read; empty is the context's.
	Open     func(ctx context.Context, name, namespace string) (*Cluster, error)
	Contexts []string
	// Again are the flags by which another command finds the cluster of that name, with a space behind each.
	Again func(name string) string
	// Schedule says that sessions schedule. Allow lets the cluster be changed from the screen.
	Schedule, Allow bool
}

// Live is a cluster as a Source.
type Live struct {
	options LiveOptions
	*Cluster
	lastState console.State
}

// NewLive watches a cluster that was opened.
func NewLive(c *Cluster, o LiveOptions) *Live { return &Live{options: o, Cluster: c} }

var (
	_ Source     = (*Live)(nil)
	_ Waking     = (*Live)(nil)
	_ Held       = (*Live)(nil)
	_ Knowing    = (*Live)(nil)
	_ Measured   = (*Live)(nil)
	_ Operated   = (*Live)(nil)
	_ Accessed   = (*Live)(nil)
	_ Switched   = (*Live)(nil)
	_ Repeatable = (*Live)(nil)
)

// Name is the context's.
func (l *Live) Name() string { return l.Cluster.Name }

// Mode says whether the session acts. One that stands for the lease and has it not follows who has.
func (l *Live) Mode() views.Mode {
	if l.Session.State().Leading {
		return views.Acting
	}
	return views.Shadow
}

// Advance has nothing to do: time passes by itself.
func (l *Live) Advance(time.Duration) (changed bool) { return true }

// Moving is so for ever.
func (l *Live) Moving() bool { return true }

// Now is the wall clock's time.
func (l *Live) Now() time.Time { return time.Now() }

// Engine is the session's.
func (l *Live) Engine() *engine.Engine { return l.Session.Engine() }

// Chronicle is the session's.
func (l *Live) Chronicle() *collect.Chronicle { return l.Cluster.Chronicle }

// Timeline is none: the past of a cluster is not kept.
func (l *Live) Timeline() *views.Timeline { return nil }

// Wake has something in it when something has changed.
func (l *Live) Wake() <-chan struct{} { return l.Session.Wake() }

// Hold holds the engine still.
func (l *Live) Hold(look func()) { l.Session.Hold(func(*engine.Engine) { look() }) }

// Add tells of the connection, and of how the cluster's scheduler compares.
func (l *Live) Add(m *views.Model, look collect.Look) {
	l.lastState = l.Session.State()
	m.Header.Source, m.Header.Mode = l.Name(), l.Mode()
	m.Header.Alert = l.lastState.Alert(l.Now())
	m.Hidden = hidden(&l.lastState)
	j := l.Session.Judge()
	if j == nil {
		return
	}
	t := j.Tally()
	m.Header.Compared, m.Header.Agrees = int64(t.Judged()), t.Rate()
	if look.Open == views.AgreementPane {
		m.Agreement = collect.Agreement(j, l.Session.Engine().BindingCount(), look)
	}
}

// Usage is what is known of a node.
func (l *Live) Usage(node string) *usage.Reading {
	store := l.Engine().Store()
	n := store.Node(node)
	if n == nil {
		return nil
	}
	r := l.Cluster.Usage.Look(n, func() (pods []world.Ref) {
		for o := range store.Objects(world.Pod) {
			if pod := o.(*v1.Pod); pod.Spec.NodeName == node {
				pods = append(pods, world.RefOf(pod))
			}
		}
		return pods
	})
	return &r
}

// hidden says of panes that have nothing to show for want of rights why not.
func hidden(st *console.State) map[views.PaneID]string {
	says := map[views.PaneID]string{}
	for kind, panes := range map[world.Kind][]views.PaneID{
		world.Pod:   {views.QueuePane, views.EvictionsPane},
		world.Node:  {views.SnapshotPane, views.ZonesPane},
		world.Lease: {views.LeaderPane},
	} {
		if slices.Contains(st.Unseen, kind) {
			for _, pane := range panes {
				says[pane] = "there is no right to read " + strings.ToLower(string(kind)) + "s; :access says which rules it takes"
			}
		}
	}
	if why := st.Undecided; why != "" {
		says[views.DecisionsPane] = printable.Line("nothing is decided beside the cluster's scheduler: "+why, 300)
		says[views.AgreementPane] = printable.Line("how often the cluster's scheduler agrees cannot be judged: "+why, 300)
	}
	return says
}

// Unable says why the cluster cannot be changed from here.
func (l *Live) Unable() string {
	switch {
	case !l.options.Allow:
		return "this console only looks; start it with --allow-actions to change the cluster"
	case l.lastState.Lost != nil:
		return "the connection to the cluster is lost"
	}
	return ""
}

// Hand carries changes out.
func (l *Live) Hand() operate.Hand { return l.Session.Hand() }

// Access is what may not be seen.
func (l *Live) Access() string { return l.lastState.Access() }

// Within is the one namespace that may be seen.
func (l *Live) Within() string { return l.lastState.Bound() }

// Contexts are those of the kubeconfig.
func (l *Live) Contexts() []string { return l.options.Contexts }

// Dial opens another context's cluster, or another namespace.
func (l *Live) Dial(ctx context.Context, name, namespace string) (func() func(), error) {
	next, err := l.options.Open(ctx, name, namespace)
	if err != nil {
		return nil, err
	}
	if st := next.Session.State(); namespace != "" && !st.PodsIn(namespace) {
		next.Session.Close()
		return nil, fmt.Errorf("pods in namespace %.80q may not be read", namespace)
	}
	return func() func() {
		was := l.Cluster
		l.Cluster = next
		return was.Close
	}, nil
}

// Close ends the session that is watched now.
func (l *Live) Close() { l.Cluster.Close() }

// Asked is now, and the command that asks the same of the cluster as it is then.
func (l *Live) Asked(changes []whatif.Change) (time.Time, string) {
	return l.Now(), "orrery whatif " + l.options.Again(l.Name()) + whatif.Words(changes)
}
