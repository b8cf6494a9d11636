package usage

import (
	"math"
	"os"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/pressure"
	"orrery/core/testing/fuzz"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var signals = []pressure.Signal{
	pressure.MemoryAvailable, pressure.AllocatableMemoryAvailable, pressure.NodeFsAvailable, pressure.NodeFsInodesFree, pressure.ImageFsAvailable,
	pressure.ImageFsInodesFree, pressure.ContainerFsAvailable, pressure.ContainerFsInodesFree, pressure.PIDAvailable,
}

// FuzzSummary reads summaries of kubelets.
//
//orrery:reads core/operator/usage
func FuzzSummary(f *testing.F) {
	summary, err := os.ReadFile("testdata/summary.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(summary)
	f.Add([]byte(`{"node":{"nodeName":"n1","fs":{"availableBytes":1,"capacityBytes":2,"inodesFree":1,"inodes":4503599627370496},"runtime":{"imageFs":{},"containerFs":null},"rlimit":{"maxpid":-1}}}`))
	f.Add([]byte(`{"node":{"nodeName":"n1"},"pods":[{"podRef":{"uid":"uid-cart"},"containers":[{"rootfs":{"usedBytes":4503599627370496},"logs":{"inodesUsed":4503599627370496}}],"process_stats":{"process_count":18446744073709551615}}]}`))
	f.Add([]byte(`{"node":{"nodeName":"n1","memory":{"availableBytes":1e400}}}`))
	f.Add([]byte(`{"node":null,"pods":[null,{}]}`))
	pods := []*v1.Pod{mk.Pod("cart").Namespace("shop").UID("uid-cart").Memory("1Gi").Obj(), mk.Pod("search").Namespace("shop").UID("uid-search").Obj()}
	f.Fuzz(func(t *testing.T, answer []byte) {
		var s *pressure.Summary
		var err error
		fuzz.Cost(t, len(answer), func() { s, err = Summary(answer, "n1") })
		if (s == nil) == (err == nil) {
			t.Fatalf("summary %v and error %v", s, err)
		}
		if err != nil {
			fuzz.Error(t, err)
			return
		}
		for _, signal := range signals {
			if o, ok := s.Observe(signal); ok && (o.Capacity.Sign() < 0 || o.Capacity.Value() == math.MaxInt64) {
				t.Fatalf("%s: %v of %v", signal, o.Available, o.Capacity)
			}
			for _, ranked := range pressure.Rank(signal, pressure.OneFs, pods, s) {
				if ranked.Usage.Sign() < 0 {
					t.Fatalf("%s: %s uses %v", signal, ranked.Pod.Name, ranked.Usage)
				}
			}
		}
	})
}

// FuzzThresholds reads configurations that kubelets run with (configz).
//
//orrery:reads core/operator/usage
func FuzzThresholds(f *testing.F) {
	f.Add([]byte(`{"kubeletconfig":{"evictionHard":{"memory.available":"1Gi","nodefs.available":"10%"},"evictionSoft":{"memory.available":"2Gi"},"evictionSoftGracePeriod":{"memory.available":"30s"}}}`))
	f.Add([]byte(`{"kubeletconfig":{"kind":7,"evictionMinimumReclaim":{"memory.available":"NaN%"}}}`))
	f.Add([]byte(`{"kubeletconfig":null}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		var c pressure.Configuration
		var err error
		fuzz.Cost(t, len(answer), func() { c, err = Thresholds(answer, "linux") })
		if err != nil {
			fuzz.Error(t, err)
			return
		}
		if _, err := c.Thresholds(); err != nil {
			t.Fatalf("it was read, and then: %v", err)
		}
		c.Warnings()
	})
}

// FuzzMetrics reads answers of the metrics API.
//
//orrery:reads core/operator/usage
func FuzzMetrics(f *testing.F) {
	f.Add([]byte(`{"containers":[{"name":"a","usage":{"memory":"12345Ki"}},{"usage":{"memory":"1.5Gi"}}]}`))
	f.Add([]byte(`{"containers":[{"usage":{"memory":"1e999999999"}}]}`))
	f.Add([]byte(`{"usage":{"memory":"9999999999999999999E"}}`))
	node := mk.Node("n1").Memory("8Gi").Obj()
	f.Fuzz(func(t *testing.T, answer []byte) {
		fuzz.Cost(t, len(answer), func() {
			p, err := PodMemory(answer, world.PodRef{})
			if err != nil {
				fuzz.Error(t, err)
			} else if int64(*p.Memory.WorkingSetBytes) < 0 {
				t.Fatalf("%d bytes", *p.Memory.WorkingSetBytes)
			}
			m, err := NodeMemory(answer, node)
			if err != nil {
				fuzz.Error(t, err)
			} else if int64(*m.WorkingSetBytes) < 0 {
				t.Fatalf("%d bytes", *m.WorkingSetBytes)
			}
		})
	})
}
