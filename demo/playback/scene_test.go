package playback_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/memory"
	"orrery/demo"
	"orrery/demo/playback"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

const length = 60 * time.Second

func must(_ world.Object, err error) {
	if err != nil {
		panic(err)
	}
}

// record is a minute in which pods arrive on nodes that fill up, so that later ones push earlier ones aside.
func record(tb testing.TB, nodes, pods int) []byte {
	tb.Helper()
	draw := rand.New(rand.NewPCG(3, 4))
	c := memory.New(memory.Options{Start: start, Seed: 1, Latency: memory.TypicalLatency()})
	must(c.Create(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 100}))
	for i := range nodes {
		must(c.Create(mk.Node(fmt.Sprintf("node-%d", i)).CPU("8").Memory("32Gi").Zone(fmt.Sprintf("zone-%d", i%3)).Obj()))
	}
	for i := range pods {
		pod := mk.Pod(fmt.Sprintf("pod-%d", i)).UID("").CPU([]string{"250m", "500m", "1", "2"}[draw.IntN(4)]).Memory("512Mi").Obj()
		at := time.Duration(draw.Int64N(int64(length)))
		if at > length*3/4 {
			pod.Spec.PriorityClassName = "high"
		}
		c.At(start.Add(at), func(c *memory.Cluster) { must(c.Create(pod)) })
	}
	o := engine.Options{Seed: 1, Start: start}
	e, err := engine.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	var file bytes.Buffer
	r, err := play.NewRecorder(&file, e, o, play.About{Description: "a minute"})
	if err != nil {
		tb.Fatal(err)
	}
	drive.Run(c, start.Add(length+30*time.Second), drive.NewScheduler(e, r))
	if err := r.Close(); err != nil {
		tb.Fatal(err)
	}
	return file.Bytes()
}

func open(tb testing.TB, file []byte, o playback.Options) *playback.Recording {
	tb.Helper()
	d, err := playback.Open(bytes.NewReader(file), o)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func embedded(tb testing.TB, name string, o playback.Options) *playback.Recording {
	tb.Helper()
	file, err := demo.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	o.Name = name
	d, err := playback.Open(file, o)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// recordingFollower remembers everything it hears as one number, and counts how often anybody was told anything.
type recordingFollower struct {
	sum  uint64
	told *int
}

func newFollowerFunc(told *int) func(*engine.Engine) play.Follower {
	return func(*engine.Engine) play.Follower { return &recordingFollower{told: told} }
}

func (l *recordingFollower) observe(what string) {
	for _, c := range []byte(what) {
		l.sum = (l.sum ^ uint64(c)) * 1099511628211
	}
}

func (l *recordingFollower) Applied(in world.Input, err error) {
	*l.told++
	l.observe(fmt.Sprintf("applied %v %T %v;", in.At, in.Event, err))
}

func (l *recordingFollower) Stepped(d *engine.Decision) {
	if d != nil {
		*l.told++
		l.observe(fmt.Sprintf("stepped %d %s %s;", d.Seq, d.Pod, d.Node))
	}
}

func (l *recordingFollower) Emitted(e world.Effect) {
	l.observe(fmt.Sprintf("wanted %d %T;", e.ID, e.Action))
}

func (l *recordingFollower) Fork() play.Follower {
	twin := *l
	return &twin
}

func sumOf(d *playback.Recording) uint64 { return d.Follower().(*recordingFollower).sum }
