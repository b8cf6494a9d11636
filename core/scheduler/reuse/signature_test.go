package reuse

import (
	"maps"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestSignature_DistinguishesHostileValues(t *testing.T) {
	var s Signature
	signatures := map[string]Signature{
		"two texts":           s.Text("a").Text("b"),
		"one text":            s.Text("ab"),
		"text with a length":  s.Text("a\x01b"),
		"list of two":         s.Texts([]string{"a", "b"}),
		"list of one":         s.Texts([]string{"a\x01b"}),
		"map":                 s.Pairs(map[string]string{"a": "b"}),
		"map with a long key": s.Pairs(map[string]string{"a\x01b": ""}),
		"no selector":         s.Selector(nil),
		"empty selector":      s.Selector(&metav1.LabelSelector{}),
	}
	names := slices.Sorted(maps.Keys(signatures))
	for i, one := range names {
		for _, other := range names[:i] {
			if string(signatures[one]) == string(signatures[other]) {
				t.Errorf("%s and %s have one signature", one, other)
			}
		}
	}
}
