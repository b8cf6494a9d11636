package app

import (
	"strings"
	"testing"

	"orrery/core/answers/diagnose"
)

// Names and expressions about devices come from the cluster: an escape sequence must not reach a terminal.
func TestDeviceLines_ArePrintable(t *testing.T) {
	d := &explanationDocument{}
	d.Devices = &diagnose.Devices{Nodes: 1, Claims: []diagnose.DeviceClaim{{
		Claim: "gpu", Says: "has 1 device: gpu\x1b[2J", Requests: []diagnose.DeviceRequest{{Request: "one\x1b[2J", Says: "1 device of class \u202eb"}},
	}}}
	v := &nodeVerdict{Devices: []diagnose.DeviceOn{{Claim: "claim gpu", Request: "one\x1b[2J", Device: "driver/pool/gpu\x1b[2J", Says: "is tainted \u202eb"}}}
	var text strings.Builder
	section(&text, "Devices", d.deviceLines())
	section(&text, "Devices there", v.deviceLines())
	if !strings.Contains(text.String(), "claim gpu has 1 device: gpu") || strings.ContainsAny(text.String(), "\x1b\u202e") {
		t.Errorf("got %q", text.String())
	}
}
