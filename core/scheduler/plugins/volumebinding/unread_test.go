package volumebinding

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestUnread_ComparesVersions(t *testing.T) {
	for _, tt := range []struct {
		stored, before string
		want           bool
	}{
		{"9", "10", true},
		{"10", "10", true},
		{"11", "10", false},
		{"opaque", "opaque", true},
		{"opaque", "other", false},
		{"", "", false},
		{"", "10", false},
	} {
		stored, before := &v1.PersistentVolume{}, &v1.PersistentVolume{}
		stored.ResourceVersion, before.ResourceVersion = tt.stored, tt.before
		if got := unread(stored, before); got != tt.want {
			t.Errorf("version %q after a write onto %q: %v, want %v", tt.stored, tt.before, got, tt.want)
		}
		if !unread(stored, stored) {
			t.Errorf("version %q: the very object counts as read", tt.stored)
		}
	}
}
