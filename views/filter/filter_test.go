package filter_test

import (
	"slices"
	"strings"
	"testing"

	"orrery/core/testing/fuzz"
	"orrery/views/filter"
)

var rows = []filter.Row{
	{Namespace: "shop", Name: "cart-01", Labels: map[string]string{"app": "cart", "tier": "front"}, Gang: "shop/cart/pods/east", Words: [4]string{"backoffQ", "7 Insufficient memory"}},
	{Namespace: "shop", Name: "checkout", Labels: map[string]string{"app": "checkout"}, Words: [4]string{"active"}},
	{Namespace: "ml", Name: "Trainer-1.large", Words: [4]string{"unschedulable", "3 Insufficient cpu"}},
	{Name: "node-7", Labels: map[string]string{"zone": "a"}, Words: [4]string{"zone-a", "cordoned"}},
}

func TestFilter_Matches(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"an empty filter matches everything", "", []string{"cart-01", "checkout", "Trainer-1.large", "node-7"}},
		{"spaces match everything", "   ", []string{"cart-01", "checkout", "Trainer-1.large", "node-7"}},
		{"a word in the name", "cart", []string{"cart-01"}},
		{"a word in the state or the reason", "insufficient", []string{"cart-01", "Trainer-1.large"}},
		{"a word in the namespace", "shop", []string{"cart-01", "checkout"}},
		{"case is ignored", "TRAINER", []string{"Trainer-1.large"}},
		{"a dot is a dot", "1.large", []string{"Trainer-1.large"}},
		{"namespace/name", "shop/c", []string{"cart-01", "checkout"}},
		{"the end of a namespace and the start of a name", "op/cart", []string{"cart-01"}},
		{"a regular expression", "^c.*[0-9]$", []string{"cart-01"}},
		{"a regular expression over namespace and name", "^shop/.*t$", []string{"checkout"}},
		{"the inverse", "!cart", []string{"checkout", "Trainer-1.large", "node-7"}},
		{"all words must match", "insufficient memory", []string{"cart-01"}},
		{"a word and an inverse", "shop !check", []string{"cart-01"}},
		{"a namespace", "-n ml", []string{"Trainer-1.large"}},
		{"a namespace without a space", "-nml", []string{"Trainer-1.large"}},
		{"every namespace but one", "!-n shop", []string{"Trainer-1.large", "node-7"}},
		{"a gang in full", "-g shop/cart/pods/east", []string{"cart-01"}},
		{"the gangs of a workload", "-g cart", []string{"cart-01"}},
		{"a part of a gang's name", "-g shop/ca", nil},
		{"a label", "-l app=cart", []string{"cart-01"}},
		{"labels", "-l app,tier!=front", []string{"checkout"}},
		{"letters in order, with others between", "~crt1", []string{"cart-01"}},
		{"letters across namespace and name", "~spchk", []string{"checkout"}},
		{"no match", "absent", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := filter.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range rows {
				if f.Match(&rows[i]) {
					got = append(got, rows[i].Name)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q matches %v, want %v", tt.text, got, tt.want)
			}
		})
	}
}

func TestParse_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"cart[":        "missing closing ]",
		"a b (":        "missing closing )",
		"*":            "missing argument to repetition operator",
		"-l":           "-l wants labels such as app=web after it",
		"-n":           "-n wants a namespace after it",
		"-g":           "-g wants a gang after it",
		"~":            "~ wants some letters after it",
		"!":            "! wants a word to leave out after it",
		"-l app==a==b": "-l app==a==b:",
	} {
		f, err := filter.Parse(text)
		if err == nil || f != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v and %q, want nothing and an error with %q", text, f, err, want)
		}
	}
}

func TestFilter_StringIsNormalized(t *testing.T) {
	f, err := filter.Parse("  cart   -n shop ")
	if err != nil || f.String() != "cart -n shop" {
		t.Errorf("got %q and %v, want %q", f, err, "cart -n shop")
	}
	if none, _ := filter.Parse(""); none != nil || none.String() != "" {
		t.Errorf("an empty filter is %q, want none", none)
	}
}

// FuzzFilter reads filters.
//
//orrery:reads views/filter
func FuzzFilter(f *testing.F) {
	for _, text := range []string{"cart", "!cart", "-l app=web", "~ab", "a[b", "-n shop x", "\x1b", "!~", "/"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var parsed *filter.Filter
		var err error
		fuzz.Cost(t, len(text), func() { parsed, err = filter.Parse(text) })
		if err != nil {
			fuzz.Error(t, err)
			return
		}
		inverse, err := filter.Parse("!" + strings.TrimSpace(text))
		single := len(strings.Fields(text)) == 1 && !strings.HasPrefix(strings.TrimSpace(text), "!")
		for i := range rows {
			if got := parsed.Match(&rows[i]); single && err == nil && got == inverse.Match(&rows[i]) {
				t.Errorf("%q and its inverse both return %v for %s", text, got, rows[i].Name)
			}
		}
	})
}
