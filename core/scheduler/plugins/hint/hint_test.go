package hint_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"orrery/core/scheduler/plugins/hint"
	"orrery/core/testing/mk"
)

func TestObjects(t *testing.T) {
	before, after := mk.Node("before").Obj(), mk.Node("after").Obj()
	var none *v1.Node
	for name, tc := range map[string]struct {
		before, after         any
		wantBefore, wantAfter *v1.Node
		wantErr               string
	}{
		"an added object has no old one":            {nil, after, none, after, ""},
		"a deleted object has no new one":           {before, nil, before, none, ""},
		"an update has both":                        {before, after, before, after, ""},
		"a DeletedFinalStateUnknown is unwrapped":   {cache.DeletedFinalStateUnknown{Obj: before}, nil, before, none, ""},
		"an old object of another kind is an error": {mk.Pod("p").Obj(), after, none, none, "reading the old object of an event: it is a *v1.Pod where a *v1.Node was expected"},
		"a new object of another kind is an error":  {before, mk.Pod("p").Obj(), before, none, "reading the new object of an event: it is a *v1.Pod where a *v1.Node was expected"},
	} {
		t.Run(name, func(t *testing.T) {
			gotBefore, gotAfter, err := hint.Objects[*v1.Node](tc.before, tc.after)
			if gotBefore != tc.wantBefore || gotAfter != tc.wantAfter {
				t.Errorf("got %v, %v; want %v, %v", gotBefore, gotAfter, tc.wantBefore, tc.wantAfter)
			}
			var message string
			if err != nil {
				message = err.Error()
			}
			if message != tc.wantErr {
				t.Errorf("error %q, want %q", message, tc.wantErr)
			}
		})
	}
}
