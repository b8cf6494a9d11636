package attach

import (
	"fmt"
	"sync/atomic"
	"time"

	"orrery/core/trace"
	"orrery/core/trace/play"
)

// maxBeginning bounds how long the state of a scheduler may take to come, however often a part of it does. That of the largest cluster has
// some hundred megabytes.
//
//orrery:limit readers; how long the state of a scheduler may take to come; an error, or the next try
const maxBeginning = 5 * time.Minute

// inTime reads the beginning of a stream, and closes the stream if that takes too long.
func inTime[T any](c *Connection, read func() (T, error)) (T, error) {
	var late atomic.Bool
	timer := time.AfterFunc(maxBeginning, func() {
		late.Store(true)
		c.Close()
	})
	defer timer.Stop()
	result, err := read()
	if late.Load() {
		err = fmt.Errorf("reading the stream of %s: the state of the scheduler has not come whole within %s", c.Where, maxBeginning)
	}
	return result, err
}

// Snapshot reads a stream up to the present, and returns a player of it, at its end. The first checkpoint is of the present: what a
// scheduler sends of its past has none.
func Snapshot(c *Connection, o play.Options) (*play.Player, error) {
	return inTime(c, func() (*play.Player, error) { return snapshot(c, o) })
}

func snapshot(c *Connection, o play.Options) (*play.Player, error) {
	r, player, err := begin(c, o, 0)
	if err != nil {
		return nil, err
	}
	for {
		record, err := r.reader.Next()
		if err != nil {
			return nil, fmt.Errorf("reading the stream of %s: %w", c.Where, endOf(r, err))
		}
		if err := player.Append(record); err != nil {
			return nil, err
		}
		if err := player.SeekRecord(player.End().Record); err != nil {
			return nil, err
		}
		if _, present := record.Body.(trace.Checkpoint); present {
			return player, nil
		}
	}
}
