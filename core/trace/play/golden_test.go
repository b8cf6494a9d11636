package play_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"orrery/core/trace/play"
)

var rewrite = flag.Bool("rewrite", false, "write the golden trace anew, when the format has a new version")

const golden = "../testdata/v1.trace"

// TestVersion1IsStillRead reads the file that the first version wrote. That its decisions are still made is as much as
// can be asked of the scheduler as it is now; when that changes on purpose, the golden file may be written anew.
func TestVersion1IsStillRead(t *testing.T) {
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

// TestRecordingIsRepeatable says that the same life gives the same file, byte for byte.
func TestRecordingIsRepeatable(t *testing.T) {
	_, one := recorded(t, 6, 40, play.About{})
	_, two := recorded(t, 6, 40, play.About{})
	if !bytes.Equal(one, two) {
		t.Errorf("two recordings of one life have %d and %d bytes and are not the same", len(one), len(two))
	}
}
