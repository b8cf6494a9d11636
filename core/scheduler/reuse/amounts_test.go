package reuse

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever changes between two looks, nodes share a class exactly if their amounts are equal, and there are no more classes than
// there were nodes at once.
func TestAmountClasses_NodesOfEqualAmountsShareClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := &nodes{}
		n.order(t, rapid.IntRange(1, 12).Draw(t, "nodes"))
		var classes AmountClasses
		var amounts []Amounts
		most := 0
		for range rapid.IntRange(1, 12).Draw(t, "looks") {
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0:
				n.come(t, 2)
			case 1:
				if len(n.places) > 1 {
					n.leave(rapid.IntRange(0, len(n.places)-1).Draw(t, "leaves"))
				}
			case 2:
				n.order(t, len(n.known))
			}
			amounts = append(amounts, make([]Amounts, len(n.known)-len(amounts))...)
			for range rapid.IntRange(0, 4).Draw(t, "changed") {
				at := rapid.IntRange(0, len(n.places)-1).Draw(t, "position")
				amounts[n.places[at].Number].Pods = rapid.Int64Range(0, 3).Draw(t, "pods")
				n.drawNode(t, at)
			}
			most = max(most, len(n.known))
			classes.Follow(n.places, amounts, n)
			compareClasses(t, &classes, n.places, amounts)
			if classes.Len() > most {
				t.Fatalf("there are %d classes of at most %d nodes", classes.Len(), most)
			}
		}
	})
}

func compareClasses(t *rapid.T, classes *AmountClasses, places []Place, amounts []Amounts) {
	for i, p := range places {
		class := classes.Of(i)
		if *classes.Amounts(class) != amounts[p.Number] {
			t.Fatalf("number %d has %+v, its class %+v", p.Number, amounts[p.Number], *classes.Amounts(class))
		}
		for j, q := range places {
			if alike := amounts[p.Number] == amounts[q.Number]; alike != (class == classes.Of(j)) {
				t.Fatalf("numbers %d and %d have equal amounts: %v, but not so their classes", p.Number, q.Number, alike)
			}
		}
	}
}
