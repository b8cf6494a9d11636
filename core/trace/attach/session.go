package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"orrery/core/safe/panics"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/trace/stream"
)

// Connection is an open stream of a scheduler.
type Connection struct {
	io.ReadCloser
	stream.Speaker
	// Where says how it was reached: a pod, or an address.
	Where string
	// EndReason is why the scheduler ended the stream, once that has ended; it may be empty.
	EndReason func() string
}

// Options are how a session attaches.
type Options struct {
	// Connect finds the scheduler and opens its stream, which begins so much earlier than now.
	Connect func(ctx context.Context, since time.Duration) (*Connection, error)
	// Since is how much earlier than now the first stream begins.
	Since time.Duration
	// Play returns the options of a new segment's player.
	Play func() play.Options
	// MaxBytes bounds the records that a segment's player holds; zero means play.DefaultFlightRecorderBytes.
	MaxBytes int64
	// GiveUpAfter is how long the next leader is looked for; zero means DefaultGiveUpAfter.
	GiveUpAfter time.Duration
}

// DefaultGiveUpAfter is longer than a restart of the whole control plane takes.
//
//orrery:limit readers; how long the next leader is looked for; the session ends
const DefaultGiveUpAfter = 10 * time.Minute

// The times between two tries to find a leader.
const (
	firstRetry = time.Second
	lastRetry  = 15 * time.Second
)

// overlap is how long before the last record that was read the next stream begins, so that nothing is missing between the two: the clocks'
// difference, records on their way, and finding the next leader.
const overlap = 20 * time.Second

// maxLag bounds how old by its own time the last record counts as: the scheduler's clock may be another.
//
//orrery:limit readers; how far back the next stream is asked for by the time of the last record; what was before is missing
const maxLag = 10 * time.Minute

// maxWaitingBytes is how much of a trace waits to be taken before the session stops reading, in unpacked bytes. The scheduler then drops
// it after a while.
//
//orrery:limit readers; records that wait for the screen, in bytes; nothing is read for a while, and then the scheduler drops the reader
const maxWaitingBytes = 16 << 20

// State is how a session stands.
type State struct {
	// Speaker is the scheduler that the session is attached to, or was last, and Where how it was reached.
	stream.Speaker
	Where string
	// LostAt is when the stream ended; zero while it goes on. Lost says why, and Retry why there is no next one, from the first try on.
	LostAt time.Time
	Lost   error
	Retry  error
	// RetryAt is when the next try begins; zero during one. GaveUp says that there is none.
	RetryAt time.Time
	GaveUp  bool
}

// Attached reports whether a stream goes on.
func (s *State) Attached() bool { return s.LostAt.IsZero() }

// Segment is what one stream began with.
type Segment struct {
	State
	Player *play.Player
	// Before is how the stream before ended; it is Attached if this is the first.
	Before State
}

// Batch is what has come since the last one.
type Batch struct {
	// Segment, if not nil, is new: Records are the first after its player's.
	Segment *Segment
	Records []trace.Record
	State   State
}

// Session is attached to the scheduler that leads.
type Session struct {
	options Options
	cancel  context.CancelFunc
	done    chan struct{}
	wake    chan struct{}
	room    chan struct{}

	mu      sync.Mutex
	state   State
	waiting []Batch // each but the first has a new segment
	bytes   int
}

// Open attaches to a scheduler, restores its state, and follows it from then on. The error is of the first try: there is no other.
func Open(ctx context.Context, o Options) (*Session, error) {
	if o.GiveUpAfter == 0 {
		o.GiveUpAfter = DefaultGiveUpAfter
	}
	s := &Session{options: o, done: make(chan struct{}), wake: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	ctx, s.cancel = context.WithCancel(ctx)
	first, err := s.connect(ctx, o.Since)
	if err != nil {
		s.cancel()
		return nil, err
	}
	go s.run(ctx, first)
	return s, nil
}

// Close ends the session.
func (s *Session) Close() {
	s.cancel()
	<-s.done
}

// Wake receives when there is something to take, and when the state has changed.
func (s *Session) Wake() <-chan struct{} { return s.wake }

// Take returns what has come; if that is of several segments, that of the first. More says that there is more to take at once.
func (s *Session) Take() (b Batch, more bool) {
	s.mu.Lock()
	if len(s.waiting) > 0 {
		b, s.waiting = s.waiting[0], s.waiting[1:]
	}
	for _, r := range b.Records {
		s.bytes -= r.Size
	}
	b.State, more = s.state, len(s.waiting) > 0
	s.mu.Unlock()
	signal(s.room)
	return b, more
}

func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// reading is a stream whose player was made.
type reading struct {
	*Connection
	reader *trace.Reader
	// last is when the last record was read, or its own time if that is earlier: a reader that falls behind reads old records.
	last time.Time
}

func (r *reading) note(record *trace.Record) {
	now := time.Now()
	lag := min(max(now.Sub(record.At), 0), maxLag)
	r.last = now.Add(-lag)
}

// connect opens a stream and puts its segment up to be taken.
func (s *Session) connect(ctx context.Context, since time.Duration) (*reading, error) {
	c, err := s.options.Connect(ctx, since)
	if err != nil {
		return nil, err
	}
	var player *play.Player
	r, err := inTime(c, func() (r *reading, err error) {
		r, player, err = begin(c, s.options.Play(), s.options.MaxBytes)
		return r, err
	})
	if err != nil {
		c.Close()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.state
	s.state = State{Speaker: c.Speaker, Where: c.Where}
	s.waiting = append(s.waiting, Batch{Segment: &Segment{State: s.state, Player: player, Before: before}})
	signal(s.wake)
	return r, nil
}

// begin reads the state that a stream begins with, and makes a player that goes on from there.
func begin(c *Connection, o play.Options, maxBytes int64) (*reading, *play.Player, error) {
	r, err := trace.NewReader(c)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the stream of %s: %w", c.Where, err)
	}
	first, err := r.Next()
	if err != nil {
		return nil, nil, fmt.Errorf("reading the stream of %s: %w", c.Where, err)
	}
	player, err := play.NewGrowingPlayer(r.Header(), first, o, maxBytes)
	if err != nil {
		return nil, nil, fmt.Errorf("restoring the state of %s: %w", c.Where, err)
	}
	begun := &reading{Connection: c, reader: r}
	begun.note(&first)
	return begun, player, nil
}

// run reads stream after stream. A panic of it ends the session as a scheduler that is not found again does.
func (s *Session) run(ctx context.Context, r *reading) {
	defer close(s.done)
	if err := panics.Call("reading the stream", func() { s.readAll(ctx, r) }); err != nil {
		s.set(func(st *State) {
			*st = State{Speaker: st.Speaker, Where: st.Where, LostAt: time.Now(), Lost: err, GaveUp: true}
		})
	}
}

func (s *Session) readAll(ctx context.Context, r *reading) {
	for r != nil {
		why := s.read(ctx, r)
		if ctx.Err() != nil {
			return
		}
		s.set(func(st *State) { st.LostAt, st.Lost = time.Now(), why })
		r = s.reconnect(ctx, r.last)
	}
}

// read reads a stream up to its end, closes it, and returns why it ended.
func (s *Session) read(ctx context.Context, r *reading) error {
	defer r.Close()
	defer context.AfterFunc(ctx, func() { r.Close() })()
	for {
		record, err := r.reader.Next()
		if err != nil {
			return endOf(r, err)
		}
		if r.note(&record); !s.put(ctx, record) {
			return ctx.Err()
		}
	}
}

// endOf says why a stream ended.
func endOf(r *reading, err error) error {
	var damage *trace.Damage
	if why := r.EndReason(); why != "" {
		return errors.New(why)
	}
	if errors.As(err, &damage) && errors.Is(damage.Cause, trace.ErrUnfinished) || errors.Is(err, io.EOF) {
		return errors.New("its stream ended")
	}
	if damage != nil {
		return damage.Cause
	}
	return err
}

// put puts up a record to be taken, once there is room for it. It reports false at the end of the context.
func (s *Session) put(ctx context.Context, r trace.Record) bool {
	for {
		s.mu.Lock()
		room := s.bytes < maxWaitingBytes
		if room {
			if len(s.waiting) == 0 {
				s.waiting = append(s.waiting, Batch{})
			}
			last := &s.waiting[len(s.waiting)-1]
			last.Records = append(last.Records, r)
			s.bytes += r.Size
		}
		s.mu.Unlock()
		if room {
			signal(s.wake)
			return true
		}
		select {
		case <-s.room:
		case <-ctx.Done():
			return false
		}
	}
}

// reconnect attaches to the next leader, after the last record was read at some time. It returns nil at the end of the context, and when it
// gives up.
func (s *Session) reconnect(ctx context.Context, last time.Time) *reading {
	lost := time.Now()
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		s.set(func(st *State) { st.RetryAt = time.Now().Add(wait) })
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
		s.set(func(st *State) { st.RetryAt = time.Time{} })
		gone := time.Since(lost)
		r, err := s.connect(ctx, time.Since(last)+overlap)
		if err == nil {
			return r
		}
		s.set(func(st *State) { st.Retry, st.GaveUp = err, gone >= s.options.GiveUpAfter })
		if gone >= s.options.GiveUpAfter || ctx.Err() != nil {
			return nil
		}
	}
}

func (s *Session) set(change func(*State)) {
	s.mu.Lock()
	change(&s.state)
	s.mu.Unlock()
	signal(s.wake)
}
