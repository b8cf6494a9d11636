package evict

import (
	"math/rand/v2"
	"os"
	"testing"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"

	"orrery/core/parity/difftest"
)

func TestMain(m *testing.M) {
	difftest.PrepareSynctest()
	gates := string(features.DRADeviceTaints) + "=true," + string(features.DRADeviceTaintRules) + "=true"
	if err := utilfeature.DefaultMutableFeatureGate.Set(gates); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }
