package telemetry_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/process/telemetry"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/preempt"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// own returns Orrery's own series after a refresh, one per line, without those of a family that is zero.
func own(t testing.TB, m *telemetry.Metrics, e *engine.Engine) (lines []string) {
	t.Helper()
	m.Refresh(e, nil)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(m.Own())
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, s := range f.Metric {
			if value(s) != "0" {
				lines = append(lines, strings.TrimPrefix(f.GetName(), "orrery_")+labels(s)+" "+value(s))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// tick tells the engine the time, as a live cluster does every few seconds.
func tick(t testing.TB, e *engine.Engine, at time.Time) {
	t.Helper()
	if err := e.Apply(world.Input{At: at, Event: world.Tick{}}); err != nil {
		t.Fatal(err)
	}
}

func TestOwn_OverduePodsByQueueAndPlugin(t *testing.T) {
	c, e, m, _ := watched(t)
	for _, node := range []*mk.NodeBuilder{mk.Node("n1").CPU("2").Memory("4Gi").Zone("a"), mk.Node("n2").CPU("2").Memory("4Gi").Zone("b")} {
		if _, err := c.Create(node.Obj()); err != nil {
			t.Fatal(err)
		}
	}
	create(t, c, mk.Pod("web").CPU("1"), mk.Pod("huge").CPU("64"), mk.Pod("picky").CPU("64").NodeSelector("disk", "ssd"), mk.Pod("shut").CPU("64").Gate("example.com/later"))
	c.At(start.Add(10*time.Minute), func(c *memory.Cluster) { create(t, c, mk.Pod("later").CPU("64")) })
	c.At(start.Add(12*time.Minute), func(c *memory.Cluster) {
		shut, err := c.Get(world.Pod, "default", "shut")
		if err != nil {
			t.Error(err)
			return
		}
		open := shut.DeepCopyObject().(*v1.Pod)
		open.Spec.SchedulingGates = nil
		if _, err := c.Update(open); err != nil {
			t.Error(err)
		}
	})
	c.At(start.Add(20*time.Minute), func(c *memory.Cluster) {
		if err := c.Delete(world.Pod, "default", "huge", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	scheduler := drive.NewScheduler(e, m)
	for _, step := range []struct {
		after time.Duration
		want  []string
	}{
		{14 * time.Minute, nil},
		{16 * time.Minute, []string{
			"overdue_pods{plugin=NodeAffinity,queue=unschedulable} 1", "overdue_pods{plugin=NodeResourcesFit,queue=unschedulable} 1",
		}},
		{21 * time.Minute, []string{"overdue_pods{plugin=NodeAffinity,queue=unschedulable} 1"}},
		{26 * time.Minute, []string{
			"overdue_pods{plugin=NodeAffinity,queue=unschedulable} 1", "overdue_pods{plugin=NodeResourcesFit,queue=unschedulable} 1",
		}},
		{28 * time.Minute, []string{ // the gate was opened 15 minutes ago
			"overdue_pods{plugin=NodeAffinity,queue=unschedulable} 1", "overdue_pods{plugin=NodeResourcesFit,queue=unschedulable} 2",
		}},
	} {
		drive.Run(c, start.Add(step.after), scheduler)
		tick(t, e, start.Add(step.after))
		want := append(slices.Clone(step.want), "zone_nodes{region=,zone=a} 1", "zone_nodes{region=,zone=b} 1")
		if diff := cmp.Diff(want, own(t, m, e)); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", step.after, diff)
		}
	}
}

// A standby follows and does not decide: all of its pods are in activeQ.
func TestOwn_StandbysPodsAreActive(t *testing.T) {
	c, e, m, _ := watched(t)
	create(t, c, mk.Pod("web").CPU("1"))
	for {
		in, ok := c.Next(start.Add(16 * time.Minute))
		if !ok {
			break
		}
		if err := e.Apply(in); err != nil {
			t.Fatal(err)
		}
	}
	tick(t, e, start.Add(16*time.Minute))
	if diff := cmp.Diff([]string{"overdue_pods{plugin=,queue=active} 1"}, own(t, m, e)); diff != "" {
		t.Error(diff)
	}
}

func TestOwn_CountsBudgetViolations(t *testing.T) {
	_, e, m, _ := watched(t)
	for _, violations := range []int{2, 0, 1} {
		victims := []*v1.Pod{{}, {}, {}}
		for i := range victims {
			victims[i].UID = types.UID(fmt.Sprint(violations, i))
		}
		m.Stepped(&engine.Decision{Preemption: &preempt.Record{Candidate: preempt.Candidate{Victims: victims, Violations: violations}}})
	}
	if diff := cmp.Diff([]string{"budget_violations_total 3"}, own(t, m, e)); diff != "" {
		t.Error(diff)
	}
}

// Zones whose names cannot be told apart once they are printable share a series: a series that is there twice fails a scrape.
func TestOwn_ZoneNamesAreHostile(t *testing.T) {
	_, e, m, _ := watched(t)
	c, long := memory.New(memory.Options{Start: start}), strings.Repeat("r", 2*printable.MaxRunes)
	if err := c.Load(
		mk.Node("n1").Zone("\xff\xfe").Obj(), mk.Node("n2").Zone("\xff\xfe").Region(long).Obj(),
		mk.Node("n3").Zone("\xff\xfe").Region(long+"s").Obj(),
	); err != nil {
		t.Fatal(err)
	}
	drive.Run(c, start.Add(time.Second), drive.NewScheduler(e, m))
	got := own(t, m, e)
	if len(got) != 2 || !strings.HasSuffix(got[0], " 1") || !strings.HasSuffix(got[1], " 2") {
		t.Errorf("got %q", got)
	}
}

func TestOwn_HasEveryDocumentedFamily(t *testing.T) {
	_, e, m, _ := watched(t)
	m.Refresh(e, nil)
	docs, err := os.ReadFile("../../../docs/running.md")
	if err != nil {
		t.Fatal(err)
	}
	descs := make(chan *prometheus.Desc, 16)
	m.Own().Describe(descs)
	close(descs)
	for desc := range descs {
		_, name, _ := strings.Cut(desc.String(), `fqName: "`)
		if name, _, _ = strings.Cut(name, `"`); !strings.Contains(string(docs), "| `"+name+"` |") {
			t.Errorf("docs/running.md does not describe %s", name)
		}
	}
}
