package noderesources

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
)

func TestPercent_IsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, math.MaxInt64).Draw(t, "total")
		part := rapid.Int64Range(0, total).Draw(t, "part")
		want := new(big.Int).Mul(big.NewInt(part), big.NewInt(100))
		want.Div(want, big.NewInt(total))
		if got := percent(part, total); got != want.Int64() {
			t.Fatalf("percent(%d, %d) = %d, want %s", part, total, got, want)
		}
	})
}

func TestRequest_Names(t *testing.T) {
	r := newRequest(mk.Resources("memory", "1", "cpu", "0", "example.com/b", "2", "example.com/a", "1", "example.com/none", "0", "pods", "3"))
	got := slices.Collect(r.names)
	if diff := cmp.Diff([]v1.ResourceName{"memory", "example.com/a", "example.com/b"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if n := r.amount("example.com/b"); n != 2 {
		t.Errorf("requests %d of example.com/b, want 2", n)
	}
	if n := r.amount("example.com/unknown"); n != 0 {
		t.Errorf("requests %d of an unknown resource, want 0", n)
	}
}
