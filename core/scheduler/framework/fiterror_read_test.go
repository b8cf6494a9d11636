package framework_test

import (
	"testing"

	"orrery/core/scheduler/framework"
)

func TestMainOf_ReadsWhatFitErrorWrites(t *testing.T) {
	for _, tt := range []struct{ name, message, want string }{
		{"one clause", "0/3 nodes are available: 3 Insufficient cpu.", "3 Insufficient cpu"},
		{"the larger of two", "0/9 nodes are available: 2 node(s) were unschedulable, 7 Insufficient memory. preemption: 0/9 nodes are available: 9 No preemption victims found for incoming pod.", "7 Insufficient memory"},
		{"a message of another form", "waiting for scheduling gates: [a]", "waiting for scheduling gates: [a]"},
		{"what PostFilter added is skipped", "0/9 nodes are available: 1 a, 7 Insufficient memory. no new claims to deallocate, preemption: 0/9", "7 Insufficient memory"},
		{"nothing", "", ""},
		{"no counts", "0/3 nodes are available: pod has unbound claims.", "pod has unbound claims"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := framework.MainOf(tt.message).String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
