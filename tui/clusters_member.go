package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"orrery/core/safe/address"
	"orrery/core/safe/panics"
	"orrery/core/safe/printable"
	"orrery/views"
	"orrery/views/collect"
)

const (
	// sampleInterval is how often a row of the list is read.
	sampleInterval = time.Second
	// reconnectInterval is the wait before the next attempt to connect.
	reconnectInterval = 10 * time.Second
	// quietAfter is when a row that could not be read says so: its engine has been working since.
	quietAfter = 3 * time.Second
)

// member is one cluster of a list, and its row. A goroutine connects, reads the row once a second, and connects again when the session
// has ended, unless the screen shows the cluster. Only that goroutine waits for the cluster: all others read what it has left.
type member struct {
	of        *Clusters
	started   sync.Once
	collector *collect.Collector // the goroutine's

	mu      sync.Mutex
	name    string        // of the context
	source  watchedSource // nil while it is not connected
	entered bool
	row     views.ClusterRow
	read    time.Time // when the row was last read
}

// start begins to watch the cluster, once.
func (m *member) start() {
	m.started.Do(func() {
		m.mu.Lock()
		m.row = views.ClusterRow{State: views.ClusterConnecting, Since: m.of.now()}
		m.mu.Unlock()
		go func() {
			for ctx := m.of.until; ctx.Err() == nil; m.wait(ctx, reconnectInterval) {
				var err error
				panicked := panics.Call("watching a cluster", func() { err = m.session(ctx) })
				m.fail(cmp.Or(panicked, err))
			}
		}()
	})
}

// wait waits for a while, or until the context ends.
func (m *member) wait(ctx context.Context, d time.Duration) {
	select {
	case <-m.of.after(d):
	case <-ctx.Done():
	}
}

// session connects, unless it is connected, and reads the row until the session ends. It returns why.
func (m *member) session(ctx context.Context) error {
	source := m.current()
	if source == nil {
		var err error
		if source, err = m.connect(ctx); err != nil {
			return err
		}
	}
	source.Hold(func() {
		m.collector = collect.New(collect.Options{Mode: source.Mode(), History: source.History(), NewerServer: newerServer(source), Shadows: source.Shadows()})
	})
	for {
		m.sample(source)
		if err := source.Ended(); err != nil && m.drop() {
			return err
		}
		if m.wait(ctx, sampleInterval); ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// connect opens a session, for switchTimeout at most.
func (m *member) connect(ctx context.Context) (watchedSource, error) {
	limited, cancel := context.WithTimeout(ctx, switchTimeout)
	defer cancel()
	source, err := m.of.open(limited, m.title())
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the API server does not answer within %s", switchTimeout)
	}
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() != nil {
		source.Close() // the list was closed meanwhile
		return nil, ctx.Err()
	}
	m.source = source
	return source, nil
}

// sample reads the row.
func (m *member) sample(source watchedSource) {
	row := views.ClusterRow{}
	source.Hold(func() {
		query := collect.Query{Open: views.ClustersPane}
		m.collector.SetHistory(source.History())
		model := m.collector.Model(source.Engine(), query)
		source.Annotate(model, query)
		row.ReadCluster(model, source.Now())
	})
	if err := source.Ended(); err != nil {
		row.State, row.Note = views.ClusterLost, errorNote(err)
		row.Since = m.lostSince()
	}
	m.mu.Lock()
	m.row, m.read = row, m.of.now()
	m.mu.Unlock()
	m.of.wake()
}

// lostSince is since when the session has ended: the first time that this was seen.
func (m *member) lostSince() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.row.State == views.ClusterLost && !m.row.Since.IsZero() {
		return m.row.Since
	}
	return m.of.now()
}

// fail puts into the row why there is no session. What was read before stays.
func (m *member) fail(err error) {
	m.mu.Lock()
	r := &m.row
	if r.State != views.ClusterLost && r.State != views.ClusterUnreachable && r.State != views.ClusterConnecting || r.Since.IsZero() {
		r.Since = m.of.now()
	}
	r.State, r.More = views.ClusterUnreachable, 0
	if r.Read {
		r.State = views.ClusterLost
	}
	r.Note = errorNote(err) + "; tried again every " + reconnectInterval.String()
	m.read = m.of.now()
	m.mu.Unlock()
	m.of.wake()
}

// errorNote is an error in a row: of a request that failed, only why.
func errorNote(err error) string {
	if request := (*url.Error)(nil); errors.As(err, &request) {
		err = request.Err
	}
	return printable.Line(address.ErrorText(err), 200)
}

// rowNow returns the row. One that could not be read for a while says so.
func (m *member) rowNow() views.ClusterRow {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.row
	r.Name, r.Key = printable.Text(m.name), m.name
	if m.source != nil && r.Since.IsZero() && m.of.now().Sub(m.read) >= quietAfter {
		r.State, r.Note, r.More, r.Since = views.ClusterReading, "the engine is still working", 0, m.read
	}
	return r
}

// title returns the name of the context, and rename changes it.
func (m *member) title() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.name
}

func (m *member) rename(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.name = name
}

// current returns the open session; nil if there is none.
func (m *member) current() watchedSource {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.source
}

// enter returns the open session, which is kept even if it ends until leave.
func (m *member) enter() (Source, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.source == nil {
		text := "cluster " + printable.Line(m.name, 80) + " is not connected yet"
		if m.row.Note != "" {
			text += ": " + m.row.Note
		}
		return nil, errors.New(text)
	}
	m.entered = true
	return m.source, nil
}

// leave reports whether the screen showed the cluster, and that it does no longer.
func (m *member) leave() (entered bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	entered, m.entered = m.entered, false
	return entered
}

// drop closes a session that has ended, unless the screen shows it.
func (m *member) drop() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entered || m.source == nil {
		return false
	}
	m.source.Close()
	m.source = nil
	return true
}

// close ends the session.
func (m *member) close() {
	m.mu.Lock()
	source := m.source
	m.mu.Unlock()
	if source != nil {
		source.Close()
	}
}
