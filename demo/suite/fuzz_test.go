package suite

import (
	"errors"
	"testing"

	"orrery/core/testing/fuzz"
	"orrery/demo/scenario/expect"
	"orrery/demo/scenario/strict"
)

// FuzzParse reads the expectations of recordings.
//
//orrery:reads demo/suite demo/scenario/expect
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"expect:\n- {app: shop, placed: {within: 2s, on: {zone: a}, count: 3}}\n", "expect:\n- {at: 1m, pods: \"web-*\", pending: {reason: taint-untolerated, fix: uncordon}}\n",
		"expect:\n- {preempts: {most: 1, least: 0, by: a}}\n- {spread: {key: zone, max: 1}}\n- {p99: {of: waiting, below: 30s}}\n- {max: {of: attempts, below: 3}}\n",
		"expect:\n- {not-worse-than: {recording: a, by: 5%}}\n- {same-as: a}\n- {agrees-with: kubernetes 1.37}\n", "expect: [{placed: nope}]", "expect: {", "a: &a [*a]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var all []expect.Expectation
		var err error
		fuzz.Cost(t, len(text), func() { all, err = parse("a.expect.yaml", text) })
		for i := range all {
			if all[i].Kind() == "" || all[i].String() == "" {
				t.Errorf("an expectation expects nothing: %q", text)
			}
		}
		if err == nil {
			return
		}
		var e *strict.Error
		if !errors.As(err, &e) {
			t.Fatalf("the error is a %T: %v", err, err)
		}
		fuzz.Error(t, err)
	})
}
