package observe

import "orrery/core/scheduler/drive"

// SetMemory has an observer that does not run yet read what memory it uses.
func (b *Observer) SetMemory(read func() drive.Memory) { b.loop.Memory = read }
