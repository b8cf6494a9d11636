package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"orrery/core/answers/change"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/views"
	"orrery/views/collect"
)

// maxClusters bounds the clusters that one console watches: each has an engine and holds what it reads.
//
//orrery:limit screen; clusters that one console watches; refused
const maxClusters = 32

// ClustersOptions configure a list of clusters.
type ClustersOptions struct {
	// Open connects to the cluster of a context; Contexts names all that there are.
	Open     func(ctx context.Context, context string) (*Live, error)
	Contexts []string
	// OneOnly is why no second cluster can be watched; empty if it can.
	OneOnly string
}

// Clusters are the clusters that a console watches, each on a goroutine of its own. As a Source it is their list: the screen shows
// either the list or one of them.
type Clusters struct {
	contexts []string
	oneOnly  string
	open     func(ctx context.Context, context string) (watchedSource, error)
	now      func() time.Time
	after    func(time.Duration) <-chan time.Time

	idle  *engine.Engine // without objects, for the screen while it shows the list
	wakes chan struct{}
	until context.Context
	stop  context.CancelFunc

	mu      sync.Mutex
	members []*member
}

// watchedSource is an open cluster.
type watchedSource interface {
	Source
	LiveSource
	// Ended returns why nothing comes from it any more; nil while something may.
	Ended() error
	Close()
}

// NewClusters makes a list without clusters.
func NewClusters(o ClustersOptions) (*Clusters, error) {
	open := func(ctx context.Context, name string) (watchedSource, error) {
		l, err := o.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		return l, nil
	}
	return newClusters(o.Contexts, o.OneOnly, open, time.Now, time.After)
}

func newClusters(contexts []string, oneOnly string, open func(context.Context, string) (watchedSource, error), now func() time.Time, after func(time.Duration) <-chan time.Time) (*Clusters, error) {
	idle, err := engine.New(engine.Options{Start: now().Round(0)})
	if err != nil {
		return nil, err
	}
	c := &Clusters{contexts: contexts, oneOnly: oneOnly, open: open, now: now, after: after, idle: idle, wakes: make(chan struct{}, 1)}
	c.until, c.stop = context.WithCancel(context.Background())
	return c, nil
}

// Adopt adds a cluster that is open and that the screen shows. Its row is read once the list is asked for.
func (c *Clusters) Adopt(l *Live) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members = append(c.members, &member{of: c, name: l.Name(), source: l, entered: true})
}

// Add adds clusters by the names of their contexts, and begins to watch all. Those that are watched already are left out.
func (c *Clusters) Add(names ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var added []*member
	for _, name := range names {
		switch at := func(m *member) bool { return m.title() == name }; {
		case !slices.Contains(c.contexts, name):
			return fmt.Errorf("there is no context %q; there are %s", printable.Line(name, 80), printable.Line(strings.Join(c.contexts, ", "), 300))
		case slices.ContainsFunc(c.members, at), slices.ContainsFunc(added, at):
			continue
		}
		added = append(added, &member{of: c, name: name})
	}
	switch n := len(c.members) + len(added); {
	case n > 1 && c.oneOnly != "":
		return errors.New(c.oneOnly)
	case n > maxClusters:
		return fmt.Errorf("%d clusters are more than one console watches, which is %d", n, maxClusters)
	}
	c.members = append(c.members, added...)
	for _, m := range c.members {
		m.start()
	}
	return nil
}

// all returns the clusters of the list.
func (c *Clusters) all() []*member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.members)
}

// several reports whether there is a list to go back to.
func (c *Clusters) several() bool { return c != nil && len(c.all()) > 1 }

// enter returns the open cluster of a name, for the screen to show. It is kept until leaveAllBut.
func (c *Clusters) enter(name string) (Source, error) {
	for _, m := range c.all() {
		if m.title() == name {
			return m.enter()
		}
	}
	return nil, fmt.Errorf("cluster %s is not in the list; \":clusters %s\" adds it", printable.Line(name, 80), printable.Line(change.ShellWord(name), 80))
}

// renamed tells that an open cluster of the list is that of another context now.
func (c *Clusters) renamed(source Source, name string) {
	if c == nil {
		return
	}
	for _, m := range c.all() {
		if m.current() == source {
			m.rename(name)
		}
	}
}

// leaveAllBut tells which open cluster the screen shows now, nil for the list. It returns the name of one that it showed before; empty
// if it showed the list.
func (c *Clusters) leaveAllBut(shown Source) (left string) {
	for _, m := range c.all() {
		if m.current() != shown && m.leave() {
			left = m.title()
		}
	}
	return left
}

// wake makes the screen read the list anew.
func (c *Clusters) wake() {
	select {
	case c.wakes <- struct{}{}:
	default:
	}
}

// Close ends all sessions. One that is being opened ends when it is open.
func (c *Clusters) Close() {
	c.stop()
	for _, m := range c.all() {
		m.close()
	}
}

var (
	_ Source     = (*Clusters)(nil)
	_ announcing = (*Clusters)(nil)
)

// Name says how many clusters there are.
func (c *Clusters) Name() string { return plural.Count(len(c.all()), "cluster") }

// Mode returns Shadow: the list is of clusters that other schedulers schedule.
func (c *Clusters) Mode() views.Mode { return views.Shadow }

// Advance does nothing: time passes by itself.
func (c *Clusters) Advance(time.Duration) (changed bool) { return true }

// Moving is always true.
func (c *Clusters) Moving() bool { return true }

// Now returns the wall-clock time.
func (c *Clusters) Now() time.Time { return c.now() }

// Engine returns an engine without objects.
func (c *Clusters) Engine() *engine.Engine { return c.idle }

// History returns nil.
func (c *Clusters) History() *collect.History { return nil }

// Wake delivers when a row has changed.
func (c *Clusters) Wake() <-chan struct{} { return c.wakes }

// WhatIfCommand returns no command: a list has nothing to change.
func (c *Clusters) WhatIfCommand([]change.Change) (time.Time, string) { return c.now(), "" }

// Annotate adds the list.
func (c *Clusters) Annotate(m *views.Model, _ collect.Query) {
	var rows []views.ClusterRow
	for _, at := range c.all() {
		rows = append(rows, at.rowNow())
	}
	m.Clusters = views.NewClusters(rows)
	m.Header = views.Header{Source: c.Name(), Mode: c.Mode()}
}
