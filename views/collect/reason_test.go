package collect

import "testing"

func TestTheDominantReasonIsTheOneOfMostNodes(t *testing.T) {
	for _, tt := range []struct{ name, message, want string }{
		{"one reason", "0/3 nodes are available: 3 Insufficient cpu.", "3 Insufficient cpu"},
		{"the larger of two", "0/9 nodes are available: 2 node(s) were unschedulable, 7 Insufficient memory. preemption: 0/9 nodes are available: 9 No preemption victims found for incoming pod.", "7 Insufficient memory"},
		{"a message of another shape", "waiting for scheduling gates: [a]", "waiting for scheduling gates: [a]"},
		{"what PostFilter added is not a reason", "0/9 nodes are available: 1 a, 7 Insufficient memory. no new claims to deallocate, preemption: 0/9", "7 Insufficient memory"},
		{"nothing", "", ""},
		{"no counts", "0/3 nodes are available: pod has unbound claims.", "0/3 nodes are available: pod has unbound claims."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := dominant(tt.message); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAmountsInWords(t *testing.T) {
	for milli, want := range map[int64]string{0: "0", 250: "250m", 1000: "1", 3500: "3.5", 16000: "16"} {
		if got := cores(milli); got != want {
			t.Errorf("%d milli is %q, want %q", milli, got, want)
		}
	}
	for bytes, want := range map[int64]string{0: "0", 1023: "1023", 512 << 20: "512Mi", 4080218931: "3.8Gi", 64 << 30: "64Gi"} {
		if got := binary(bytes); got != want {
			t.Errorf("%d bytes is %q, want %q", bytes, got, want)
		}
	}
}
