package requests

import (
	"math"
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestHuman(t *testing.T) {
	for _, test := range []struct {
		name v1.ResourceName
		n    int64
		want string
	}{
		{v1.ResourceCPU, 144500, "144.5"},
		{v1.ResourceCPU, 50, "0.05"},
		{v1.ResourceMemory, 173312 << 20, "169.3Gi"},
		{v1.ResourceMemory, 640 << 30, "640Gi"},
		{v1.ResourceMemory, 14817632700, "13.8Gi"},
		{v1.ResourceMemory, 512, "512"},
		{v1.ResourceMemory, -(3 << 29), "-1.5Gi"},
		{v1.ResourceMemory, math.MaxInt64, "8192Pi"},
		{v1.ResourcePods, 110, "110"},
		{"nvidia.com/gpu", 8, "8"},
	} {
		if got := Human(test.name, test.n); got != test.want {
			t.Errorf("%d of %s is %q, want %q", test.n, test.name, got, test.want)
		}
	}
}
