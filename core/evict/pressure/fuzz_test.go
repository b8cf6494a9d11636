package pressure_test

import (
	"testing"

	"orrery/core/evict/pressure"
	"orrery/core/testing/fuzz"
)

// FuzzFlags reads the eviction flags of a kubelet's command line.
//
//orrery:reads core/evict/pressure
func FuzzFlags(f *testing.F) {
	for _, line := range []string{
		"--eviction-hard=memory.available<1Gi,nodefs.available<10% --eviction-soft=pid.available<5% --eviction-soft-grace-period=pid.available=1h", "--eviction-hard=\x1b<1",
		"--eviction-minimum-reclaim=imagefs.available=1e400", "--kube-reserved=memory=1Gi,pid=1e-100000000 --enforce-node-allocatable=pods,\u202e", "--eviction-max-pod-grace-period=0x7fffffff", "--x", "--",
	} {
		f.Add(line, "linux")
	}
	f.Fuzz(func(t *testing.T, line, system string) {
		var c pressure.Configuration
		var err error
		fuzz.Cost(t, len(line), func() { c, err = pressure.LoadFlags(line, system) })
		if err != nil {
			fuzz.Error(t, err)
			return
		}
		if _, err := c.Thresholds(); err != nil {
			t.Errorf("loaded, and then refused: %v", err)
		}
	})
}
