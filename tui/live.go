package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/operator/actions"
	"orrery/core/operator/console"
	"orrery/core/operator/usage"
	"orrery/core/operator/usage/reader"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// Cluster is a session with a cluster, and the cluster's name.
type Cluster struct {
	Name    string
	Session *console.Session
	// NewerServer is the version of its API server, if it is newer than all releases that are modelled.
	NewerServer string
	History     *collect.History
	// Usage reads the resource usage of nodes.
	Usage *reader.Reader
}

// Close ends the session and the usage reader.
func (c *Cluster) Close() {
	c.Session.Close()
	c.Usage.Close()
}

// LiveOptions configure how clusters are watched.
type LiveOptions struct {
	// Open connects to the cluster of a kubeconfig's context; Contexts names all contexts. The namespace is shown where
	// only one can be read; empty is the context's own.
	Open     func(ctx context.Context, name, namespace string) (*Cluster, error)
	Contexts []string
	// Again returns how a what-if of the cluster of that name begins on the command line, up to its changes.
	Again func(name string) string
	// Schedule means that sessions schedule. Allow permits changes to the cluster from the screen.
	Schedule, Allow bool
}

// Live is a cluster as a Source.
type Live struct {
	options LiveOptions
	*Cluster
	lastState console.State
	// holding makes Hold exclusive: the loop and the list of clusters both look at an engine. Dial changes the cluster under it.
	holding sync.Mutex
}

// NewLive makes a Live of an open cluster.
func NewLive(c *Cluster, o LiveOptions) *Live { return &Live{options: o, Cluster: c} }

var (
	_ Source     = (*Live)(nil)
	_ LiveSource = (*Live)(nil)
)

// Name returns the context's name.
func (l *Live) Name() string { return l.Cluster.Name }

// Mode returns Acting while the session leads, else Shadow. A candidate that does not hold the lease is not Acting.
func (l *Live) Mode() views.Mode {
	if l.Session.State().Leading {
		return views.Acting
	}
	return views.Shadow
}

// Shadows reports whether the session leaves it to the cluster's scheduler to bind pods.
func (l *Live) Shadows() bool { return l.Session.Comparator() != nil }

// Advance does nothing: time passes by itself.
func (l *Live) Advance(time.Duration) (changed bool) { return true }

// Moving is always true.
func (l *Live) Moving() bool { return true }

// Now returns the wall-clock time.
func (l *Live) Now() time.Time { return time.Now() }

// Engine returns the session's engine.
func (l *Live) Engine() *engine.Engine { return l.Session.Engine() }

// History returns the session's history.
func (l *Live) History() *collect.History { return l.Cluster.History }

// Wake delivers when something has changed.
func (l *Live) Wake() <-chan struct{} { return l.Session.Wake() }

// Hold stops the engine while do runs.
func (l *Live) Hold(do func()) {
	l.holding.Lock()
	defer l.holding.Unlock()
	l.Session.Inspect(func(*engine.Engine) { do() })
}

// Ended returns why the session has ended; nil while it goes on.
func (l *Live) Ended() error {
	l.holding.Lock()
	defer l.holding.Unlock()
	return l.Session.State().Ended
}

// Annotate adds the connection's state and the comparison with the cluster's scheduler.
func (l *Live) Annotate(m *views.Model, q collect.Query) {
	l.lastState = l.Session.State()
	m.Header.Source, m.Header.Mode = l.Name(), l.Mode()
	m.Header.Alert = l.lastState.Alert(l.Now())
	m.Header.Unreadable = l.lastState.UnreadableKinds()
	if st := &l.lastState; st.Silent || st.Lost != nil {
		m.Header.Blind, m.Header.AsOf, m.Header.BlindReason = true, st.Heard, st.BlindReason()
		if st.Lost == nil {
			m.Header.Silent = l.Now().Sub(st.Heard)
		}
	} else if st.Asking {
		m.Header.AsOf = st.Heard
	}
	m.Forbidden = hiddenPanes(&l.lastState)
	j := l.Session.Comparator()
	if j == nil {
		return
	}
	collect.Overruled(m, l.Session.Engine(), j, q.Pod)
	t := j.Counters()
	m.Header.Compared, m.Header.AgreementRate = int64(t.Compared()), t.AgreementRate()
	if q.Open == views.AgreementPane {
		collect.AddAgreement(m, j, l.Session.Engine().BindingCount(), q)
	}
}

// Usage returns the last usage reading of a node and starts the next if it is due; nil if there is no such node.
func (l *Live) Usage(node string) *usage.Reading {
	store := l.Engine().Store()
	n := store.Node(node)
	if n == nil {
		return nil
	}
	r := l.Cluster.Usage.Read(n, func() (pods []world.PodRef) {
		for o := range store.Objects(world.Pod) {
			if pod := o.(*v1.Pod); pod.Spec.NodeName == node {
				pods = append(pods, world.PodRefOf(pod))
			}
		}
		return pods
	})
	return &r
}

// hiddenPanes returns why panes are empty for lack of RBAC permissions.
func hiddenPanes(st *console.State) map[views.PaneID]string {
	reasons := map[views.PaneID]string{}
	for kind, panes := range map[world.Kind][]views.PaneID{
		world.Pod:   {views.QueuePane, views.PodsPane, views.EvictionsPane},
		world.Node:  {views.SnapshotPane, views.NodesPane, views.ZonesPane, views.OrreryPane},
		world.Lease: {views.LeaderPane},
	} {
		if slices.Contains(st.Unreadable, kind) {
			for _, pane := range panes {
				reasons[pane] = "there is no right to read " + strings.ToLower(string(kind)) + "s; :access says which rules it takes"
			}
		}
	}
	if why := st.NotDeciding; why != "" {
		reasons[views.DecisionsPane] = printable.Line("Orrery makes no decisions to compare: "+why, 300)
		reasons[views.AgreementPane] = printable.Line("Orrery makes no decisions to compare: "+why, 300)
		// An explanation by what may be read would find no nodes, and call a pod unschedulable that runs.
		reasons[views.ExplainPane] = printable.Line("no pod can be explained here: "+why, 300)
		reasons[views.PendingPane] = reasons[views.ExplainPane]
	}
	return reasons
}

// ReadOnlyReason returns why the cluster cannot be changed; empty if it can.
func (l *Live) ReadOnlyReason() string {
	switch {
	case !l.options.Allow:
		return "read-only: start the console with --allow-actions to change the cluster"
	case l.lastState.Lost != nil:
		return "the connection to the cluster is lost"
	case l.lastState.Silent:
		return "the API server does not answer"
	}
	return ""
}

// Executor makes changes to the cluster.
func (l *Live) Executor() actions.Executor { return l.Session.Executor() }

// Access lists the missing read permissions.
func (l *Live) Access() string { return l.lastState.Access() }

// PodNamespace is the only namespace whose pods can be read; empty for all.
func (l *Live) PodNamespace() string { return l.lastState.PodNamespace() }

// Contexts names the contexts of the kubeconfig.
func (l *Live) Contexts() []string { return l.options.Contexts }

// Dial connects to another context's cluster, or to another namespace.
func (l *Live) Dial(ctx context.Context, name, namespace string) (func() func(), error) {
	next, err := l.options.Open(ctx, name, namespace)
	if err != nil {
		return nil, err
	}
	if st := next.Session.State(); namespace != "" && !st.ShowsPodsIn(namespace) {
		next.Session.Close()
		return nil, fmt.Errorf("pods in namespace %q may not be read", printable.Line(namespace, 80))
	}
	return func() func() {
		l.holding.Lock()
		defer l.holding.Unlock()
		was := l.Cluster
		l.Cluster = next
		return was.Close
	}, nil
}

// Close ends the current session.
func (l *Live) Close() { l.Cluster.Close() }

// WhatIfCommand returns the current time, and the command that runs the same what-if on the cluster.
func (l *Live) WhatIfCommand(changes []change.Change) (time.Time, string) {
	return l.Now(), l.options.Again(l.Name()) + change.ShellWords(changes)
}
