package topology

import (
	"math"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDomainSums_Extremes(t *testing.T) {
	for _, row := range []struct {
		name    string
		sums    []int64
		members []int32
		want    Extremes
	}{
		{"no domain", nil, nil, Extremes{Least: math.MaxInt32, LeastDomain: noDomain, SecondLeast: math.MaxInt32}},
		{"one domain", []int64{4}, []int32{1}, Extremes{Domains: 1, Least: 4, SecondLeast: math.MaxInt32}},
		{"a tie", []int64{2, 5, 2}, []int32{1, 1, 1}, Extremes{Domains: 3, Least: 2, SecondLeast: 2}},
		{"domains without nodes are left out", []int64{0, 5, 3}, []int32{0, 1, 2}, Extremes{Domains: 2, Least: 3, LeastDomain: 2, SecondLeast: 5}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var d domainSums
			for domain, sum := range row.sums {
				d.add(int32(domain), sum, row.members[domain])
			}
			view := AxisView{pieces: d.view()}
			if diff := gocmp.Diff(row.want, view.Extremes()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// For any changes a view has the sums of its time, and the extremes of them, whatever changes later.
func TestDomainSums_ViewsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type state struct {
			sums, members map[int32]int64
			view          AxisView
		}
		var d domainSums
		var states []state
		sums, members := map[int32]int64{}, map[int32]int64{}
		domain := rapid.Int32Range(0, 3*pieceSize)
		for range rapid.IntRange(1, 6).Draw(t, "views") {
			for range rapid.IntRange(0, 20).Draw(t, "changes") {
				at, amount := domain.Draw(t, "domain"), rapid.Int64Range(0, 9).Draw(t, "amount")
				more := int32(rapid.IntRange(0, 2).Draw(t, "members"))
				if members[at] > 0 && rapid.Bool().Draw(t, "leaves") {
					amount, more = -sums[at], -int32(members[at])
				}
				d.add(at, amount, more)
				sums[at] += amount
				members[at] += int64(more)
			}
			now := state{map[int32]int64{}, map[int32]int64{}, AxisView{pieces: d.view()}}
			for at := range sums {
				now.sums[at], now.members[at] = sums[at], members[at]
			}
			states = append(states, now)
		}
		for i, then := range states {
			want := noExtremes
			for at := range int32(3*pieceSize + 1) {
				if got := then.view.Sum(at); got != then.sums[at] {
					t.Fatalf("view %d: the sum of domain %d is %d, want %d", i, at, got, then.sums[at])
				}
				if got := then.view.HasNodes(at); got != (then.members[at] > 0) {
					t.Fatalf("view %d: domain %d has nodes: %v", i, at, got)
				}
				if then.members[at] > 0 {
					want.Domains++
					want.consider(at, then.sums[at])
				}
			}
			if got := then.view.Extremes(); got != want {
				t.Fatalf("view %d: the extremes are %+v, want %+v", i, got, want)
			}
			some := []int32{domain.Draw(t, "left out"), want.LeastDomain}
			least := int64(math.MaxInt32)
			for at, sum := range then.sums {
				if then.members[at] > 0 && at != some[0] && at != some[1] {
					least = min(least, sum)
				}
			}
			if got := then.view.LeastExcept(some); got != least {
				t.Fatalf("view %d: the least without %v is %d, want %d", i, some, got, least)
			}
		}
	})
}
