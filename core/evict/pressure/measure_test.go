package pressure

import (
	"math"
	"testing"
	"time"

	"orrery/core/world/memory"
)

func TestUsage_SumsSaturate(t *testing.T) {
	const most = math.MaxInt64
	large := memory.Usage{Memory: 1 << 50, PIDs: most, Logs: memory.Disk{Bytes: most, Inodes: most}, Volumes: memory.Disk{Bytes: 1}}
	day := extrapolate(large, memory.Usage{Memory: 1 << 50, PIDs: 1, Logs: memory.Disk{Bytes: most, Inodes: -1}}, 24*time.Hour)
	if day.Memory != most || day.PIDs != most || day.Logs.Bytes != most || day.Logs.Inodes != most-86400 {
		t.Errorf("after a day of growth it is %+v", day)
	}
	two := sum(day, day)
	if two.Memory != most || two.Logs.Bytes != most {
		t.Errorf("twice that is %+v", two)
	}
	if disk := add(two.Logs, two.Volumes); disk.Bytes != most || disk.Inodes != most {
		t.Errorf("all disks are %+v", disk)
	}
}
