package compare_test

import (
	"bytes"
	"testing"
	"time"

	"orrery/core/answers/compare"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// stretchOf returns what comes in a trace after a moment.
func stretchOf(t testing.TB, file []byte, at time.Time, length time.Duration) compare.Stretch {
	t.Helper()
	player, err := play.NewPlayer(bytes.NewReader(file), play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := player.RecordAt(at)
	if err := player.SeekRecord(n); err != nil {
		t.Fatal(err)
	}
	return compare.Stretch{Header: player.Header(), At: at, Engine: player.Engine(), Records: player.Records()[n:], Length: length}
}

// Pods that are pending at the beginning are decided after all that has a node, and what comes later than the stretch does not count.
func TestStretch_OfWhatCameAfterAMoment(t *testing.T) {
	inputs := append(unbalanced(),
		arrival(20, mk.Pod("second").CPU("5").Memory("25Gi").Obj()),
		arrival(5000, mk.Pod("late").CPU("5").Memory("25Gi").Obj()),
	)
	file := traceOf(t, inputs...)
	for name, tt := range map[string]struct {
		at       int
		length   time.Duration
		arrivals int
		cause    string
	}{
		"from the beginning":    {0, time.Hour, 2, "BalanceByImprovement"},
		"when one has its node": {10, time.Hour, 1, ""},
		"a short one":           {10, 5 * time.Second, 0, ""},
		"a long one":            {10, 2 * time.Hour, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := stretchOf(t, file, seconds(tt.at), tt.length).Upgrade(as(t, release.V135), as(t, release.V137), compare.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if u.Arrivals != tt.arrivals {
				t.Errorf("%d pods arrive, want %d", u.Arrivals, tt.arrivals)
			}
			if tt.cause != "" && (len(u.Causes) != 1 || u.Causes[0].Name() != tt.cause) {
				t.Errorf("what makes the difference is %v, want %s", u.Causes, tt.cause)
			}
		})
	}
}

// A pod that comes first by its name, and is pending, is decided with all that have a node.
func TestStretch_PendingPodsComeLast(t *testing.T) {
	inputs := []world.Input{
		nodes("4", "only"),
		arrival(0, mk.Pod("z-first").CPU("3").Node("only").Obj()),
		arrival(1, pod("a-waits", "3")),
	}
	u, err := stretchOf(t, traceOf(t, inputs...), seconds(10), time.Hour).Upgrade(as(t, release.V135), as(t, release.V137), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Pods) != 0 || u.Arrivals != 1 {
		t.Errorf("of %d arrivals %+v end otherwise", u.Arrivals, u.Pods)
	}
}
