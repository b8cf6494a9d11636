package compare

import (
	"fmt"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// Stretch is a part of a recording: the cluster at a moment, and what came after it.
type Stretch struct {
	Header trace.Header
	At     time.Time
	// Engine has the cluster at that moment, and Records are those after it. Those later than Length do not count.
	Engine  *engine.Engine
	Records []trace.Record
	Length  time.Duration
}

// Upgrade says what another configuration changes for the pods of a stretch of a recording. The pods that are pending at its beginning arrive then,
// and those that have a node keep it.
func (s Stretch) Upgrade(from, to Configuration, o Options) (*Upgrade, error) {
	recorded, err := play.OptionsOf(s.Header)
	if err != nil {
		return nil, fmt.Errorf("comparing configurations: %w", err)
	}
	w := newWorkload(s.Header, recorded.Config, o.Fill)
	w.header.Start = s.At
	w.addCluster(s.At, s.Engine)
	w.volumes.listed, w.devices.listed = map[world.Kind]bool{world.PersistentVolume: true, world.PersistentVolumeClaim: true}, true
	for _, record := range s.Records {
		if record.At.Sub(s.At) > s.Length {
			break
		}
		if err := w.addRecord(recorded, record); err != nil {
			return nil, fmt.Errorf("comparing configurations: %w", err)
		}
	}
	w.finish()
	return explainUpgrade(w, from, to, o.withDefaults())
}
