package main

import (
	"bytes"
	"os"
	"testing"
	"time"
)

const root = "../.."

func TestDocument_UpToDate(t *testing.T) {
	want, err := document(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(written.Path(root)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the constants say: make docs writes it anew", written.Path(root))
	}
}

func TestFind_ReadsValues(t *testing.T) {
	all, err := find(root)
	if err != nil {
		t.Fatal(err)
	}
	bounds := map[string]string{}
	for _, l := range all {
		bounds[l.folder+" "+l.name] = l.bound
	}
	for name, want := range map[string]string{
		"themes maxBytes": "64 KiB", "core/trace/stream takeTimeout": "10s", "core/trace/stream maxSince": "365 days", "core/scheduler/queue maxMoves": "50,000", "core/trace maxBlockBytes": "4.1 MiB",
		"core/scheduler/plugins/dynamicresources/shortage maxCost": "`10 * resourcev1.CELSelectorExpressionMaxCost`", "core/world/trim maxAnnotation": "4 KiB", "core/operator/usage/reader maxErrorBytes": "16 KiB", "core/scheduler/engine maxNoteBytes": "1 KiB",
	} {
		if bounds[name] != want {
			t.Errorf("the bound of %s is %q, want %q", name, bounds[name], want)
		}
	}
}

func TestDurationText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Second: "1s", time.Minute: "1m", 90 * time.Second: "1m30s", time.Hour: "1h", 10 * time.Minute: "10m", 24 * time.Hour: "24h", 48 * time.Hour: "2 days", 300 * time.Millisecond: "300ms",
	} {
		if got := durationText(d); got != want {
			t.Errorf("%d is %q, want %q", d, got, want)
		}
	}
}
