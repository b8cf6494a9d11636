package app

import (
	"strings"
	"testing"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/volumes"
)

// Names and messages of volumes come from the cluster: an escape sequence must not reach a terminal.
func TestStorageLines_ArePrintable(t *testing.T) {
	d := &explanationDocument{}
	d.Storage = &diagnose.Storage{Nodes: 1, Allowed: 1, Claims: []diagnose.ClaimLink{{
		ClaimLink: volumes.ClaimLink{Claim: "data", Says: "is bound to pv\x1b[2J"}, PersistentVolume: &diagnose.VolumeLink{Name: "pv\x1b[2J", Says: "is in zone \u202eb"},
	}}}
	var text strings.Builder
	section(&text, "Storage", d.storageLines())
	if !strings.Contains(text.String(), "claim data is bound to pv") || strings.ContainsAny(text.String(), "\x1b\u202e") {
		t.Errorf("got %q", text.String())
	}
}
