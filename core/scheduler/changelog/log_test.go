package changelog_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"orrery/core/scheduler/changelog"
)

// Every reader gets exactly the changes since its last call, or is told that they are not known: at its first call, after a reset
// and after more changes than half the limit.
func TestLog_ReadersMissNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 6
		var log changelog.Log[int]
		added := []int{}
		type reader struct {
			mark uint64
			seen int // how many were added when it came last
		}
		readers := make([]reader, 3)
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				log.Reset()
				for at := range readers {
					readers[at].seen = -1
				}
			case 1, 2, 3, 4, 5, 6:
				log.Add(i, limit)
				added = append(added, i)
				if log.Len() > limit {
					t.Fatalf("the log has %d changes, its limit is %d", log.Len(), limit)
				}
			default:
				r := &readers[rapid.IntRange(0, len(readers)-1).Draw(t, "reader")]
				changes, now, known := log.Since(r.mark)
				mayForget := r.mark == 0 || r.seen < 0 || len(added)-r.seen > limit/2
				if !known && !mayForget {
					t.Fatalf("after %d changes the log says that it does not know", len(added)-r.seen)
				}
				if known && (r.mark == 0 || r.seen < 0 || !slices.Equal(changes, added[r.seen:])) {
					t.Fatalf("the log says %v for mark %d of %d changes, of %v", changes, r.mark, r.seen, added)
				}
				*r = reader{now, len(added)}
			}
		}
	})
}

// A mark of another log may be ahead of this one.
func TestLog_DoesNotKnowMarksItNeverGave(t *testing.T) {
	var log changelog.Log[string]
	log.Add("one", 10)
	_, now, _ := log.Since(0)
	if _, _, known := log.Since(now + 1); known {
		t.Error("the log knows a mark that is still to come")
	}
}
