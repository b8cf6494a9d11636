package price_test

import (
	"strings"
	"testing"

	"orrery/core/answers/price"
	"orrery/core/testing/mk"
)

const table = `
# per hour
m5.large   0.096
pool=gold: 1.5
"special"  0   # ours
`

func TestPrices_OfNode(t *testing.T) {
	p, err := price.Read("prices", strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, label, value string
		want               float64
		known              bool
	}{
		{"a", "node.kubernetes.io/instance-type", "m5.large", 0.096, true},
		{"a", "pool", "gold", 1.5, true},
		{"special", "pool", "gold", 0, true},
		{"a", "pool", "silver", 0, false},
	} {
		got, known := p.Of(mk.Node(c.name).Label(c.label, c.value).Obj())
		if got != c.want || known != c.known {
			t.Errorf("node %s with %s=%s: %v, %v; want %v, %v", c.name, c.label, c.value, got, known, c.want, c.known)
		}
	}
	by := price.ByLabel("price")
	if got, known := by.Of(mk.Node("a").Label("price", "0.25").Obj()); got != 0.25 || !known {
		t.Errorf("by label: %v, %v", got, known)
	}
	if got, known := by.Of(mk.Node("a").Label("price", "cheap").Obj()); known {
		t.Errorf("a label that is not a price: %v", got)
	}
}

func TestRead_RefusesWhatIsNoPrice(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "there is none",
		"m5.large":                  "line 1: a name and a price",
		"m5.large NaN":              "is not a price",
		"m5.large -1":               "is not a price",
		"a 1\na 2":                  "line 2: \"a\" has a price already",
		": 1":                       "the name is missing",
		"a 1 2":                     "not 3 words",
		strings.Repeat("x", 10_000): "token too long",
	} {
		if _, err := price.Read("f", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v; want %q", text, err, want)
		}
	}
}

// FuzzRead reads tables. What is read has prices that are numbers, and none below zero.
//
//orrery:reads core/answers/price
func FuzzRead(f *testing.F) {
	f.Add(table)
	f.Add("a=b 1e3\nc: 0x1p-2")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := price.Read("f", strings.NewReader(text))
		if err != nil {
			return
		}
		var sum price.Sum
		for line := range strings.Lines(text) {
			if fields := strings.Fields(line); len(fields) > 0 {
				sum.Add(p, mk.Node(fields[0]).Obj())
			}
		}
		if !(sum.Total >= 0) {
			t.Errorf("the sum is %v", sum.Total)
		}
	})
}
