package evict_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
)

func TestTolerationLimitOf(t *testing.T) {
	taint := func(key string) v1.Taint { return v1.Taint{Key: key, Effect: v1.TaintEffectNoExecute} }
	tolerate := func(key string, seconds ...int64) v1.Toleration {
		t := v1.Toleration{Key: key, Operator: v1.TolerationOpExists}
		if len(seconds) > 0 {
			t.TolerationSeconds = &seconds[0]
		}
		return t
	}
	bad, worse := taint("bad"), taint("worse")
	for _, row := range []struct {
		name        string
		tolerations []v1.Toleration
		taints      []v1.Taint
		why         string
	}{
		{"no taints: no limit", nil, nil, "every taint is tolerated"},
		{"no toleration: immediate eviction", nil, []v1.Taint{bad}, "bad:NoExecute is not tolerated"},
		{"the reason names the first untolerated taint", []v1.Toleration{tolerate("bad", 5)}, []v1.Taint{bad, worse}, "worse:NoExecute is not tolerated"},
		{"the shortest toleration is the limit", []v1.Toleration{tolerate("bad", 90), tolerate("worse", 60)}, []v1.Taint{bad, worse}, "worse, tolerated for 1m0s"},
		{"a toleration without seconds does not lift another's limit", []v1.Toleration{tolerate("bad"), tolerate("worse", 60)}, []v1.Taint{bad, worse}, "worse, tolerated for 1m0s"},
		{"everything is tolerated without a limit", []v1.Toleration{tolerate("")}, []v1.Taint{bad, worse}, "every taint is tolerated"},
		{"negative seconds are zero", []v1.Toleration{tolerate("bad", -1)}, []v1.Taint{bad}, "bad, tolerated for 0s"},
		{"292 years are a limit, 293 are not", []v1.Toleration{tolerate("bad", 9223372036), tolerate("worse", 9223372037)}, []v1.Taint{worse, bad}, "bad, tolerated for 2562047h47m16s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := evict.TolerationLimitOf(row.tolerations, row.taints, false).Reason(); got != row.why {
				t.Errorf("%q, want %q", got, row.why)
			}
		})
	}
}

func TestTolerationLimitOf_Matching(t *testing.T) {
	taint := v1.Taint{Key: "key1", Value: "value1", Effect: v1.TaintEffectNoExecute}
	const exists, equal = v1.TolerationOpExists, v1.TolerationOpEqual
	for _, row := range []struct {
		name       string
		toleration v1.Toleration
		matches    bool
	}{
		{"no operator is Equal: the same value", v1.Toleration{Key: "key1", Value: "value1", Effect: v1.TaintEffectNoExecute}, true},
		{"no operator is Equal: another value", v1.Toleration{Key: "key1", Value: "value2", Effect: v1.TaintEffectNoExecute}, false},
		{"no operator is Equal: no value", v1.Toleration{Key: "key1", Effect: v1.TaintEffectNoExecute}, false},
		{"Equal: the same value", v1.Toleration{Key: "key1", Operator: equal, Value: "value1", Effect: v1.TaintEffectNoExecute}, true},
		{"Exists ignores the value", v1.Toleration{Key: "key1", Operator: exists, Effect: v1.TaintEffectNoExecute}, true},
		{"another key", v1.Toleration{Key: "key2", Operator: exists, Effect: v1.TaintEffectNoExecute}, false},
		{"the same key and another effect", v1.Toleration{Key: "key1", Operator: exists, Effect: v1.TaintEffectNoSchedule}, false},
		{"an empty effect is every effect of the key", v1.Toleration{Key: "key1", Operator: exists}, true},
		{"an empty key that exists is every key", v1.Toleration{Operator: exists, Effect: v1.TaintEffectNoExecute}, true},
		{"every key, but of another effect", v1.Toleration{Operator: exists, Effect: v1.TaintEffectNoSchedule}, false},
		{"everything", v1.Toleration{Operator: exists}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := evict.TolerationLimitOf([]v1.Toleration{row.toleration}, []v1.Taint{taint}, false).Unlimited; got != row.matches {
				t.Errorf("it matches: %t, want %t", got, row.matches)
			}
		})
	}
}
