package play_test

import (
	"encoding/json"
	"strings"
	"testing"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// headerIn is the header of an engine of a release with default gates.
func headerIn(t *testing.T, r release.Release) trace.Header {
	t.Helper()
	h, err := play.HeaderOf(engine.Options{Config: config.Default(config.FeaturesOf(r)), Start: start})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHeader_NamesItsRelease(t *testing.T) {
	for _, r := range release.All() {
		h := headerIn(t, r)
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		// Recordings of 1.35 keep the bytes that they had before there were releases.
		if named := strings.Contains(string(text), `"kubernetes":`); named == (r.String() == "1.35") {
			t.Errorf("the header of %v names its release: %v", r, named)
		}
		var read trace.Header
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		o, err := play.OptionsOf(read)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Config.Features; got.Release() != r || len(got.Changed()) > 0 {
			t.Errorf("a recording of %v is replayed as %v with %v", r, got.Release(), got.Changed())
		}
	}
}

func TestHeader_UnknownReleaseIsRefused(t *testing.T) {
	var h trace.Header
	if err := json.Unmarshal([]byte(`{"kubernetes": "1.99"}`), &h); err == nil || !strings.Contains(err.Error(), "release 1.99 of Kubernetes is not modelled: this program decides as 1.35, 1.36 or 1.37") {
		t.Errorf("a header of another release gives the error %v", err)
	}
}

// A recording is decided as another release if that is asked: the same node scores otherwise.
func TestReplay_AsAnotherRelease(t *testing.T) {
	_, file := recorded(t, 4, 30, play.About{})
	for _, r := range release.All() {
		e, _ := replay(t, file, play.Options{Kubernetes: &r})
		if got := e.Features(); got.Release() != r || len(got.Changed()) > 0 {
			t.Errorf("the recording is replayed as %v with %v, want %v with its defaults", got.Release(), got.Changed(), r)
		}
		if e.Store().Len(world.Node) == 0 {
			t.Errorf("nothing was replayed as %v", r)
		}
	}
}
