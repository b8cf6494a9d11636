package benchattach

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"orrery/tui/ptytest"
)

var podOnScreen = regexp.MustCompile(`pod-(\d{7})`)

// newestOn returns the newest pod that a screen shows; false if it shows none.
func newestOn(screen *ptytest.Screen) (newest int, found bool) {
	for _, match := range podOnScreen.FindAllStringSubmatch(screen.Text(), -1) {
		var i int
		_, _ = fmt.Sscanf(match[1], "%d", &i)
		newest, found = max(newest, i), true
	}
	return newest, found
}

// BenchmarkScreen_Moving measures how long it takes from the start of "orrery attach" on a terminal until its screen has shown two pods
// after each other as the newest, and then how far it is behind: for how long the newest pod on it has been bound.
func BenchmarkScreen_Moving(b *testing.B) {
	const starts, looks, between = 5, 50, 200 * time.Millisecond
	for b.Loop() {
		s := schedule(b)
		s.work()
		name, err := orrery()
		if err != nil {
			b.Fatal(err)
		}
		command := []string{name, "attach", s.url, "--kubeconfig=" + s.api.kubeconfig(admin), "--certificate-authority=" + s.authority, "--since=0s"}
		var took, late []time.Duration
		for range starts {
			began := time.Now()
			shown := ptytest.Start(b, ptytest.Options{Command: command, Width: 200, Height: 60})
			first, newest := 0, 0
			moves := func(screen *ptytest.Screen) bool {
				pod, found := newestOn(screen)
				if found && first == 0 {
					first = pod
				}
				return screen.Contains("ATTACHED") && first > 0 && pod > first
			}
			shown.Await("the screen moves", moves)
			took = append(took, time.Since(began))
			for range looks {
				time.Sleep(between)
				shown.Await("a pod is on the screen", func(screen *ptytest.Screen) (found bool) {
					newest, found = newestOn(screen)
					return found
				})
				if behind, known := s.load.lateness(newest); known {
					late = append(late, behind)
				}
			}
			b.Logf("the screen moves after %v, and is %v behind", took[len(took)-1], late[len(late)-1])
			shown.Type("q")
			shown.Exit()
		}
		if len(late) == 0 {
			b.Fatal("no pod on the screen is known")
		}
		slices.Sort(late)
		b.ReportMetric(median(took).Seconds(), "s-to-moving-screen")
		b.ReportMetric(slices.Max(took).Seconds(), "s-to-moving-screen-max")
		b.ReportMetric(late[len(late)/2].Seconds(), "s-behind")
		b.ReportMetric(late[len(late)*99/100].Seconds(), "s-behind-p99")
	}
}
