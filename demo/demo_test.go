package demo_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"orrery/core/engine"
	"orrery/demo"
)

func rush(t *testing.T, seed uint64) string {
	t.Helper()
	day, err := demo.MorningRush(seed)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := demo.Print(&out, day, engine.Options{Seed: seed}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTheSameSeedShowsTheSameDay(t *testing.T) {
	first := rush(t, 7)
	if again := rush(t, 7); again != first {
		t.Error("seed 7 shows two different days")
	}
	if other := rush(t, 8); other == first {
		t.Error("seeds 7 and 8 show the same day")
	}
}

func TestEveryDayEndsWithEverybodyPlacedAndNoProblem(t *testing.T) {
	for seed := range uint64(4) {
		day := rush(t, seed)
		if !strings.Contains(day, ", 0 still waiting; digest ") {
			t.Errorf("seed %d ends with %q", seed, day[strings.LastIndex(strings.TrimSpace(day), "\n")+1:])
		}
		if strings.Contains(day, "  problem ") {
			t.Errorf("seed %d has a problem:\n%s", seed, day)
		}
		for _, scene := range []string{"bind", "Scheduled", "FailedScheduling", "nominate", "evict", "Preempted", "end"} {
			if !strings.Contains(day, "  "+scene+" ") {
				t.Errorf("seed %d shows nothing of %q", seed, scene)
			}
		}
	}
}

type broken struct{ after int }

var errBroken = errors.New("the printer is out of paper")

func (b *broken) Write(p []byte) (int, error) {
	if b.after--; b.after < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestAnErrorOfTheWriterComesBack(t *testing.T) {
	day, err := demo.MorningRush(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Print(&broken{after: 3}, day, engine.Options{Seed: 1}); !errors.Is(err, errBroken) {
		t.Errorf("printing ends with %v, want %v", err, errBroken)
	}
}
