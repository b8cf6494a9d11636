package views_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/views"
	"orrery/views/draw"
)

// sampleClusters has a cluster in every state, one of them with a name that breaks lines.
func sampleClusters() *views.Model {
	read := views.ClusterRow{
		Read: true, Nodes: 240, Pending: 312, Counted: 312, Compared: 48210, AgreementRate: 0.996, Leader: "kube-scheduler-ip-10-0-0-1", Kubernetes: "1.36",
		Causes: []views.NamedCount{{Name: "Insufficient nvidia.com/gpu", Count: 201}, {Name: "node(s) had untolerated taint {dedicated: gpu}", Count: 99}, {Name: "waiting for scheduling gates: [kueue.x-k8s.io/admission]", Count: 12}},
	}
	row := func(name string, state views.ClusterState, note string, since time.Duration) views.ClusterRow {
		r := read
		r.Name, r.Key, r.State, r.Note = name, name, state, note
		if since > 0 {
			r.Since = ago(since)
		}
		return r
	}
	east := row("production-east", views.ClusterTroubled, "312 pods Pending, ml/trainer-0 for 14m: Insufficient nvidia.com/gpu on 228 of 240 nodes", 0)
	east.More = 2
	west := row("production-west", views.ClusterHealthy, "240 nodes ready, no pod unschedulable or backing off", 0)
	west.Pending, west.Causes, west.Kubernetes, west.NewerServer = 0, nil, "1.37", "v1.38.0"
	lost := row("staging", views.ClusterLost, "dial tcp 10.1.2.3:6443: connect: connection refused", 12*time.Second)
	partial := row("shop", views.ClusterWarned, "namespace shop only; no decisions, no comparison; :access says which rules", 0)
	partial.Compared, partial.Leader = 0, ""
	reading := row("gpu-lab", views.ClusterReading, "waiting for the initial lists: Pod, Node", 0)
	reading.Read = false
	return &views.Model{
		Header: views.Header{Source: "7 clusters", Mode: views.Shadow},
		Clusters: views.NewClusters([]views.ClusterRow{
			east, west, lost, partial, reading,
			{Name: "edge-·[31mnowhere·" + strings.Repeat("界", 40), Key: "edge", State: views.ClusterUnreachable, Note: "connecting to the API server: context deadline exceeded; tried again every 10s", Since: ago(3 * time.Minute)},
			{Name: "hanging", Key: "hanging", State: views.ClusterConnecting, Since: ago(7 * time.Second)},
		}),
	}
}

func TestClusters_Goldens(t *testing.T) {
	for _, s := range []size{{80, 24}, {140, 40}, {220, 60}} {
		t.Run(s.String(), func(t *testing.T) {
			golden(t, filepath.Join("clusters", s.String()), screen(sampleClusters(), sampleState(views.ClustersPane), s, draw.Braille).Plain())
		})
	}
	golden(t, filepath.Join("clusters", "ascii"), screen(sampleClusters(), sampleState(views.ClustersPane), size{140, 40}, draw.ASCII).Plain())
}

func TestClusters_HealthLine(t *testing.T) {
	line := func(m *views.Model) string {
		return strings.TrimRight(strings.Split(screen(m, sampleState(views.ClustersPane), size{120, 30}, draw.Braille).Plain(), "\n")[1], " ")
	}
	m := sampleClusters()
	rows := m.Clusters.List.Rows
	if got, want := line(m), " ☠ 1 of 7 clusters lost: staging for 12s: dial tcp 10.1.2.3:6443"; !strings.HasPrefix(got, want) {
		t.Errorf("the health line is %q, want it to begin with %q", got, want)
	}
	m.Clusters = views.NewClusters(rows[1:2])
	if got, want := line(m), " ✓ healthy   1 cluster"; got != want {
		t.Errorf("the health line is %q, want %q", got, want)
	}
	m.Clusters = views.NewClusters(nil)
	if got, want := line(m), " ? health unknown: no cluster is watched"; got != want {
		t.Errorf("the health line is %q, want %q", got, want)
	}
}

// A cluster that has gone silent keeps what was known, and is not called well; one that was never read shows no figures.
func TestClusterRow_ReadCluster(t *testing.T) {
	healthy := func() *views.Model {
		return &views.Model{
			Header: views.Header{Leader: "scheduler-1", Kubernetes: "1.36", Compared: 10, AgreementRate: 1, Health: views.Health{Known: true, Nodes: 3}},
			Causes: &views.PendingCauses{Pending: 2, Counted: 2, Causes: []views.NamedCount{{Name: "to be tried", Count: 2}}},
		}
	}
	for name, tt := range map[string]struct {
		change func(*views.Model)
		want   views.ClusterState
		note   string
	}{
		"well":       {func(*views.Model) {}, views.ClusterHealthy, "3 nodes ready, no pod unschedulable or backing off"},
		"in trouble": {func(m *views.Model) { m.Header.Health.NotReady = 1 }, views.ClusterTroubled, "1 of 3 nodes NotReady"},
		"a warning":  {func(m *views.Model) { m.Header.Health.Pressed, m.Header.Health.OnePressed = 1, "node-1" }, views.ClusterWarned, "1 node under pressure: node-1"},
		"silent": {func(m *views.Model) {
			m.Header.Blind, m.Header.AsOf, m.Header.BlindReason, m.Header.Alert = true, ago(6*time.Second), "no answer", "nothing heard for 6s"
		}, views.ClusterLost, "no answer"},
		"reading":  {func(m *views.Model) { m.Header.Alert = "waiting for the initial lists: Pod" }, views.ClusterReading, "waiting for the initial lists: Pod"},
		"in part":  {func(m *views.Model) { m.Header.Alert, m.Header.Unreadable = "no right to read nodes", 1 }, views.ClusterWarned, "no right to read nodes"},
		"no nodes": {func(m *views.Model) { m.Header.Health.Nodes = 0 }, views.ClusterWarned, "no node is known yet"},
	} {
		m := healthy()
		tt.change(m)
		r := views.ClusterRow{Since: ago(time.Hour), More: 9}
		r.ReadCluster(m, noon)
		if r.State != tt.want || r.Note != tt.note || r.More != 0 {
			t.Errorf("%s: it is %s: %q, and %d more; want %s: %q", name, r.State.Word(), r.Note, r.More, tt.want.Word(), tt.note)
		}
		if want := tt.want != views.ClusterReading; r.Read != want {
			t.Errorf("%s: it is read: %t, want %t", name, r.Read, want)
		}
		if want := m.Header.AsOf; !r.Since.Equal(want) {
			t.Errorf("%s: there are no news since %s, want %s", name, r.Since, want)
		}
		if diff := cmp.Diff(m.Causes.Causes, r.Causes); diff != "" || r.Pending != 2 || r.Leader != "scheduler-1" {
			t.Errorf("%s: %d pods are pending, of leader %q, with other causes (-want +got):\n%s", name, r.Pending, r.Leader, diff)
		}
	}
}
