package segments

import (
	"cmp"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// Limits bound a recording on disk.
type Limits struct {
	// MaxBytes bounds all segments together, MaxAge how long ago the newest record of one may be.
	MaxBytes int64
	MaxAge   time.Duration
	// segment replaces segmentBytes, unless it is zero.
	segment int64
}

// MinBytes is the least MaxBytes.
//
//orrery:limit recordings; the least that --record-max-size may be, in bytes; refused
const MinBytes = 16 << 20

const (
	// segmentBytes is the least size of a segment's records at which the next one begins, and stateShare how many times that of the state it
	// is at least. The larger, the fewer bytes go with states; the smaller, the sooner one is opened, as it is replayed from its beginning.
	//
	//orrery:limit recordings; records of a segment, and four times its state at least, in bytes; the next one begins
	segmentBytes = 8 << 20
	stateShare   = 2
	// segmentAge is how long a segment is written to at most.
	segmentAge = time.Hour
	// expiredPerSegment is how many segments may go by their age for each that has ended: more than are made, so that the old ones go, and
	// so few that a clock which is set forward by mistake, and then back, takes little of the history with it.
	//
	//orrery:limit recordings; segments that go by their age alone, for each that has ended; the others go later
	expiredPerSegment = 2
)

// rotates reports whether the next segment is due, after so many bytes of which the first are the state.
func (l Limits) rotates(state, bytes int64, age time.Duration) bool {
	most := min(max(cmp.Or(l.segment, segmentBytes), stateShare*state), l.MaxBytes/4)
	return bytes-state >= most || age >= segmentAge
}

// fits fails if so few states have room that a recording would be of states alone.
func (l Limits) fits(state int64) error {
	if state <= l.MaxBytes/4 {
		return nil
	}
	return fmt.Errorf("the scheduler's state alone takes %s: all segments need four times as much, and may have %s", humanize.IBytes(uint64(state)), humanize.IBytes(uint64(l.MaxBytes)))
}

// expired returns how many of the oldest segments have to go while one of so many bytes is being written, and how many of those by their
// age, which are byAge at most. A segment ends with the last write to it, or where the next begins: the times of files may be those of a copy.
func (l Limits) expired(ended []Segment, current int64, now time.Time, byAge int) (all, aged int) {
	total := current + sizeOf(ended)
	for i, s := range ended {
		end := s.Modified
		if i+1 < len(ended) && ended[i+1].Start.Before(end) {
			end = ended[i+1].Start
		}
		if total <= l.MaxBytes {
			if now.Sub(end) <= l.MaxAge || aged == byAge {
				return i, aged
			}
			aged++
		}
		total -= s.Bytes
	}
	return len(ended), aged
}
