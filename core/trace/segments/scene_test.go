package segments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2/ktesting"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// scene is a scheduler in a simulated cluster, in virtual time, with a recorder.
type scene struct {
	t         *testing.T
	mu        sync.Mutex // of the engine, which is subscribed to between two moves of the time
	cluster   *memory.Cluster
	engine    *engine.Engine
	feed      *play.Feed
	scheduler *drive.Scheduler
	recorder  *Recorder
	now       time.Time
	log       *ktesting.BufferTL
}

// newScene returns a cluster in which pods come and go for an hour, with a recorder that writes to a disk. The limits may be zero.
func newScene(t *testing.T, to Disk, l Limits) *scene {
	t.Helper()
	o := engine.Options{Start: start, Seed: 7}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	flight, err := play.NewFlightRecorder(e, o, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, engine: e, feed: play.NewFeed(e, o, flight), now: start, log: &ktesting.BufferTL{}}
	s.cluster = busyCluster(3, time.Hour)
	s.scheduler = drive.NewScheduler(e, flight, s.feed)
	if l.MaxBytes == 0 {
		l = Limits{MaxBytes: 1 << 30, MaxAge: 24 * time.Hour}
	}
	s.restart(to, l)
	return s
}

// restart replaces the recorder, as a new process has a new one.
func (s *scene) restart(to Disk, l Limits) {
	logger := ktesting.NewLogger(s.log, ktesting.NewConfig())
	s.recorder = NewRecorder(Options{Directory: "the directory", Limits: l, Program: "a test", Logger: logger}, s)
	s.recorder.disk = to
}

// busyCluster is a cluster in which a pod is created each second, and deleted later.
func busyCluster(nodes int, length time.Duration) *memory.Cluster {
	draw := rand.New(rand.NewPCG(1, 2))
	c := memory.New(memory.Options{Start: start, Seed: 5, Latency: memory.TypicalLatency()})
	for i := range nodes {
		create(c, mk.Node(fmt.Sprintf("node-%d", i)).CPU("4").Memory("8Gi").Pods("40").Obj())
	}
	for at := time.Duration(0); at < length; at += time.Second {
		pod := mk.Pod(fmt.Sprintf("web-%d", at/time.Second)).CPU("100m").Obj()
		c.At(start.Add(at), func(c *memory.Cluster) { create(c, pod) })
		gone := start.Add(at + time.Duration(draw.Int64N(int64(time.Minute))))
		c.At(gone, func(c *memory.Cluster) { _ = c.Delete(world.Pod, pod.Namespace, pod.Name, metav1.DeleteOptions{}) })
	}
	return c
}

func create(c *memory.Cluster, o world.Object) {
	if _, err := c.Create(o); err != nil {
		panic(err)
	}
}

func (s *scene) Subscribe(_ context.Context, o play.SubscriptionOptions) (*play.Subscriber, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.feed.Subscribe(o), nil
}

func (s *scene) Unsubscribe(_ context.Context, one *play.Subscriber) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feed.Unsubscribe(one)
	return nil
}

// run lets seconds pass, with a step of the recorder in each.
func (s *scene) run(seconds int) {
	for range seconds {
		s.decide(1)
		s.recorder.Step(context.Background(), s.now)
	}
}

// decide lets seconds pass without the recorder.
func (s *scene) decide(seconds int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range seconds {
		s.now = s.now.Add(time.Second)
		drive.Run(s.cluster, s.now, s.scheduler)
		s.feed.Checkpoint()
	}
}

func (s *scene) decisions() (n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.engine.Counters().Decisions {
		n += of
	}
	return n
}

func (s *scene) logged() string { return s.log.String() }

// fakeDisk is a directory in memory, whose calls fail on demand.
type fakeDisk struct {
	mu    sync.Mutex // of the files: two segments may be written at once
	files map[string][]byte
	// fails returns the error of a call: open, probe, create, write, sync, close, finish, remove or index.
	fails  func(call string) error
	probed []int64
}

func newFakeDisk() *fakeDisk {
	return &fakeDisk{files: map[string][]byte{}, fails: func(string) error { return nil }}
}

func (d *fakeDisk) Open() ([]Segment, []byte, error) {
	var all []Segment
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		if at, ok := ParseName(name); ok {
			all = append(all, Segment{Name: name, Start: at, Bytes: int64(len(d.files[name])), Modified: at})
		}
	}
	return all, d.files[indexName], d.fails("open")
}

func (d *fakeDisk) Probe(bytes int64) error {
	d.probed = append(d.probed, bytes)
	return d.fails("probe")
}

func (d *fakeDisk) Create(name string) (File, error) {
	if err := d.fails("create"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, exists := d.files[name]; exists {
		return nil, errors.New("it exists")
	}
	d.files[name+partialEnding] = nil
	return &fakeFile{disk: d, name: name + partialEnding}, nil
}

func (d *fakeDisk) Finish(name string) error {
	if err := d.fails("finish"); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name] = d.files[name+partialEnding]
	delete(d.files, name+partialEnding)
	return nil
}

func (d *fakeDisk) Discard(name string) error { return d.Remove(name + partialEnding) }

func (d *fakeDisk) Remove(name string) error {
	if err := d.fails("remove"); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, name)
	return nil
}

func (d *fakeDisk) WriteIndex(index []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[indexName] = index
	return d.fails("index")
}

func (d *fakeDisk) Close() {}

// segments are the names of the segments on the disk.
func (d *fakeDisk) segments() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		if name != indexName {
			names = append(names, name)
		}
	}
	return names
}

type fakeFile struct {
	disk *fakeDisk
	name string
}

func (f *fakeFile) Write(p []byte) (int, error) {
	if err := f.disk.fails("write"); err != nil {
		return f.append(p[:len(p)/2]), err // half of it, as of a disk that is full
	}
	return f.append(p), nil
}

func (f *fakeFile) append(p []byte) int {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	name := f.name
	if _, partial := f.disk.files[name]; !partial {
		name = name[:len(name)-len(partialEnding)]
	}
	f.disk.files[name] = append(f.disk.files[name], p...)
	return len(p)
}

func (f *fakeFile) Sync() error  { return f.disk.fails("sync") }
func (f *fakeFile) Close() error { return f.disk.fails("close") }
