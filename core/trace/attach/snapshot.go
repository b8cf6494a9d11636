package attach

import (
	"fmt"

	"orrery/core/trace"
	"orrery/core/trace/play"
)

// Snapshot reads a stream up to the present, and returns a player of it, at its end. The first checkpoint is of the present: what a
// scheduler sends of its past has none.
func Snapshot(c *Connection, o play.Options) (*play.Player, error) {
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
