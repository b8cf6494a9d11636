package requests_test

import (
	"math"
	"math/big"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"orrery/core/objects/requests"
)

func TestAmount(t *testing.T) {
	for text, want := range map[string]struct{ cpu, other int64 }{
		"0":                   {0, 0},
		"3":                   {3000, 3},
		"1500m":               {1500, 2},
		"100u":                {1, 1},
		"1Gi":                 {1000 << 30, 1 << 30},
		"9223372036854775":    {9223372036854775000, 9223372036854775},
		"9223372036854776":    {math.MaxInt64, 9223372036854776},
		"9223372036854775807": {math.MaxInt64, math.MaxInt64},
		"1e30":                {math.MaxInt64, math.MaxInt64},
		"8Ei":                 {math.MaxInt64, math.MaxInt64},
		"1e-30":               {1, 1},
		"-5":                  {0, 0},
		"-9E":                 {0, 0},
		"-1e30":               {0, 0},
	} {
		q := resource.MustParse(text)
		if got := requests.Amount(v1.ResourceCPU, q); got != want.cpu {
			t.Errorf("%s of cpu is %d, want %d", text, got, want.cpu)
		}
		if got := requests.Amount(v1.ResourceMemory, q); got != want.other {
			t.Errorf("%s of memory is %d, want %d", text, got, want.other)
		}
	}
}

func TestAmount_SumsSaturate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum, exact := resource.MustParse("0"), new(big.Int)
		for _, n := range rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64), 1, 5).Draw(t, "parts") {
			sum.Add(*resource.NewQuantity(n, resource.DecimalSI))
			exact.Add(exact, big.NewInt(n))
		}
		if got, want := requests.Amount(v1.ResourceMemory, sum), saturated(exact); got != want {
			t.Fatalf("%s of memory is %d, want %d", exact, got, want)
		}
		if got, want := requests.Amount(v1.ResourceCPU, sum), saturated(exact.Mul(exact, big.NewInt(1000))); got != want {
			t.Fatalf("%s of cpu is %d, want %d", sum.String(), got, want)
		}
	})
}

// saturated is a number that is not negative as an int64.
func saturated(n *big.Int) int64 {
	if !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}
