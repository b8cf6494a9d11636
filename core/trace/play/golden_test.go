package play_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"testing"

	"orrery/core/trace"
	"orrery/core/trace/play"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden trace")

const golden = "../testdata/v2.trace"

// TestReplay_ReadsGoldenFile reads a file of the current version and replays its decisions. If decisions change on
// purpose, the file may be rewritten.
func TestReplay_ReadsGoldenFile(t *testing.T) {
	if *rewrite {
		_, file := recorded(t, 4, 30, play.About{Program: "orrery", Description: "a small scene"})
		if err := os.WriteFile(golden, file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	info := infoOf(t, file)
	if info.Damage != nil || info.Decisions == 0 || info.Header.Program != "orrery" || info.Header.Seed != 4 {
		t.Errorf("the golden file says %+v", info)
	}
	e, report := replay(t, file, play.Options{})
	if !report.OK() {
		t.Errorf("the golden file is decided differently: %v", report.First)
	}
	if uint64(e.Digest()) != info.Digest {
		t.Errorf("the digest is %v, the file says %016x", e.Digest(), info.Digest)
	}
}

func TestReplay_RefusesOlderVersion(t *testing.T) {
	file, err := os.ReadFile("../testdata/v1.trace")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = play.Replay(bytes.NewReader(file), play.Options{})
	const want = "this trace is of another version of the format: the file has version 1, and this program reads versions 2 to 4: open it with the orrery that recorded it, or record it again"
	if !errors.Is(err, trace.ErrVersion) || err.Error() != want {
		t.Errorf("replaying a file of version 1: %v, want %s", err, want)
	}
}

// TestRecorder_IsRepeatable records the same inputs twice into equal files, byte for byte.
func TestRecorder_IsRepeatable(t *testing.T) {
	_, one := recorded(t, 6, 40, play.About{})
	_, two := recorded(t, 6, 40, play.About{})
	if !bytes.Equal(one, two) {
		t.Errorf("two recordings of one life have %d and %d bytes and are not the same", len(one), len(two))
	}
}
