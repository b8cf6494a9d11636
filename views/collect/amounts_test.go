package collect

import "testing"

func TestAmounts_Text(t *testing.T) {
	for milli, want := range map[int64]string{0: "0", 250: "250m", 1000: "1", 3500: "3.5", 16000: "16"} {
		if got := cpuText(milli); got != want {
			t.Errorf("%d milli is %q, want %q", milli, got, want)
		}
	}
	for bytes, want := range map[int64]string{0: "0", 1023: "1023", 512 << 20: "512Mi", 4080218931: "3.8Gi", 64 << 30: "64Gi"} {
		if got := bytesText(bytes); got != want {
			t.Errorf("%d bytes is %q, want %q", bytes, got, want)
		}
	}
}
