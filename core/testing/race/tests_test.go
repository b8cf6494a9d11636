package race

import (
	"fmt"
	"testing"
)

func TestRuns_OneInEight(t *testing.T) {
	const names = 8000
	n := 0
	for i := range names {
		if runs(fmt.Sprint("TestScreen_", i)) {
			n++
		}
	}
	if n < names/oneIn*9/10 || n > names/oneIn*11/10 {
		t.Errorf("%d of %d tests run", n, names)
	}
}

func TestAlone_SkipsOnlyUnderTheRaceDetector(t *testing.T) {
	t.Run("some test", func(t *testing.T) {
		t.Cleanup(func() {
			if t.Skipped() != (Enabled && !runs(t.Name())) {
				t.Errorf("under the race detector %t, skipped %t", Enabled, t.Skipped())
			}
		})
		Alone(t)
	})
}

func TestFew(t *testing.T) {
	want := 100
	if Enabled {
		want = 3
	}
	if got := Few(100, 3); got != want || Few(2, 3) != 2 {
		t.Errorf("Few gives %d and %d", got, Few(2, 3))
	}
}
