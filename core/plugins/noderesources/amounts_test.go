package noderesources

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"orrery/core/mk"
)

func TestRequest_FromQuantities(t *testing.T) {
	for name, tc := range map[string]struct {
		quantity           string
		wantWhole, wantMil int64
	}{
		"a whole number":                         {"3", 3, 3000},
		"a fraction is rounded up":               {"1500m", 2, 1500},
		"a fraction of a thousandth as well":     {"100u", 1, 1},
		"a binary suffix":                        {"1Gi", 1 << 30, 1000 << 30},
		"nothing":                                {"0", 0, 0},
		"less than nothing counts as nothing":    {"-5", 0, 0},
		"milli-units stop at the largest number": {"10P", 10_000_000_000_000_000, math.MaxInt64},
		"so do whole units":                      {"9223372036854775807", math.MaxInt64, math.MaxInt64},
		"the largest negative number":            {"-9E", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			q := resource.MustParse(tc.quantity)
			if got := whole(q); got != tc.wantWhole {
				t.Errorf("whole units: %d, want %d", got, tc.wantWhole)
			}
			if got := milli(q); got != tc.wantMil {
				t.Errorf("thousandths: %d, want %d", got, tc.wantMil)
			}
		})
	}
}

// Sums of quantities leave the range of 64 bits; the number must not come back into it from below.
func TestRequest_SumsSaturate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum := resource.MustParse("0")
		exact := new(big.Int)
		for _, part := range rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64), 1, 5).Draw(t, "parts") {
			sum.Add(*resource.NewQuantity(part, resource.DecimalSI))
			exact.Add(exact, big.NewInt(part))
		}
		if got, want := whole(sum), clamp(exact); got != want {
			t.Fatalf("whole(%s) = %d, want %d", exact, got, want)
		}
		if got, want := milli(sum), clamp(exact.Mul(exact, big.NewInt(1000))); got != want {
			t.Fatalf("milli = %d, want %d", got, want)
		}
	})
}

func clamp(n *big.Int) int64 {
	if !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}

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

func TestSaturatingAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(0, math.MaxInt64).Draw(t, "a")
		b := rapid.Int64Range(0, math.MaxInt64).Draw(t, "b")
		want := clamp(new(big.Int).Add(big.NewInt(a), big.NewInt(b)))
		if got := saturatingAdd(a, b); got != want {
			t.Fatalf("plus(%d, %d) = %d, want %d", a, b, got, want)
		}
	})
}

func TestIsScalar(t *testing.T) {
	for name, tc := range map[v1.ResourceName]struct{ scalar, extended bool }{
		"example.com/gpu":                      {true, true},
		"hugepages-2Mi":                        {true, false},
		"kubernetes.io/batch-cpu":              {true, false},
		"sub.kubernetes.io/thing":              {true, false},
		"attachable-volumes-aws-ebs":           {true, false},
		"pods":                                 {false, false},
		"gpu":                                  {false, false},
		"requests.example.com/gpu":             {false, false},
		"example.com/with space":               {false, false},
		"deviceclass.resource.kubernetes.io/x": {true, false},
	} {
		if got := isScalar(name); got != tc.scalar {
			t.Errorf("%s is counted: %v, want %v", name, got, tc.scalar)
		}
		if got := isExtended(name); got != tc.extended {
			t.Errorf("%s is an extended resource: %v, want %v", name, got, tc.extended)
		}
	}
}

func TestRequest_Names(t *testing.T) {
	r := newRequest(mk.Resources("memory", "1", "cpu", "0", "example.com/b", "2", "example.com/a", "1", "example.com/none", "0", "pods", "3"))
	got := slices.Collect(r.names)
	if diff := cmp.Diff([]v1.ResourceName{"memory", "example.com/a", "example.com/b"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if n := r.amount("example.com/b"); n != 2 {
		t.Errorf("asks for %d of example.com/b, want 2", n)
	}
	if n := r.amount("example.com/unknown"); n != 0 {
		t.Errorf("asks for %d of an unknown resource, want 0", n)
	}
}
