package answer_test

import (
	"testing"
	"time"

	"orrery/core/answers/answer"
)

func TestSpan_ToTheSecond(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 499 * time.Millisecond: "0s", 30 * time.Second: "30s", 200 * time.Second: "3m20s", 5 * time.Minute: "5m",
		2 * time.Hour: "2h", 2*time.Hour + 5*time.Minute: "2h5m", 2*time.Hour + time.Second: "2h0m1s", 20 * time.Minute: "20m",
	} {
		if got := answer.Span(d); got != want {
			t.Errorf("%s is written %q, want %q", d, got, want)
		}
	}
}
