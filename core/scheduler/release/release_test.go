package release_test

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/version"

	"orrery/core/scheduler/release"
)

func TestRelease_ZeroIsTheOldest(t *testing.T) {
	// Recordings that name no release were made with 1.35.
	var r release.Release
	if r != release.Oldest || r.String() != "1.35" {
		t.Errorf("the zero value is %v", r)
	}
}

func TestRelease_Texts(t *testing.T) {
	for i, want := range []struct{ minor, patch, emulated string }{
		{"1.35", "1.35.4", "1.35.0"}, {"1.36", "1.36.3", "1.36.0"}, {"1.37", "1.37.2", "1.37.0"},
	} {
		r := release.All()[i]
		if r.String() != want.minor || r.Patch() != want.patch || r.Emulated() != want.emulated {
			t.Errorf("release %d is %v, %s, %s; want %v", i, r, r.Patch(), r.Emulated(), want)
		}
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var read release.Release
		if err := json.Unmarshal(written, &read); err != nil || read != r {
			t.Errorf("%s was read back as %v: %v", written, read, err)
		}
	}
	if last := release.All()[len(release.All())-1]; last != release.Newest {
		t.Errorf("the newest is %v, and the last of all %v", release.Newest, last)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]release.Release{
		"1.35": release.V135, "v1.36": release.V136, "1.37": release.V137, "1.36.3": release.V136, "v1.37.0": release.V137,
	} {
		if got, err := release.Parse(text); err != nil || got != want {
			t.Errorf("%s was read as %v: %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"1.34":     "release 1.34 of Kubernetes is not modelled: this program decides as 1.35, 1.36 or 1.37",
		"1.38":     "release 1.38 of Kubernetes is not modelled: this program decides as 1.35, 1.36 or 1.37",
		"2.36":     "release 2.36 of Kubernetes is not modelled: this program decides as 1.35, 1.36 or 1.37",
		"":         `reading the release of Kubernetes "": it is written as 1.37`,
		"1":        `reading the release of Kubernetes "1": it is written as 1.37`,
		"1.36.3.1": `reading the release of Kubernetes "1.36.3.1": it is written as 1.37`,
		"1.36+":    `reading the release of Kubernetes "1.36+": "36+" is no number; it is written as 1.37`,
		"1.-36":    `reading the release of Kubernetes "1.-36": "-36" is no number; it is written as 1.37`,
	} {
		if got, err := release.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q was read as %v: %v; want the error %s", text, got, err, want)
		}
	}
}

func TestOfServer(t *testing.T) {
	for _, tt := range []struct {
		major, minor string
		want         release.Release
		newer        bool
	}{
		{"1", "35", release.V135, false},
		{"1", "36", release.V136, false},
		{"1", "37+", release.V137, false},
		{"1", "38", release.V137, true},
		{"2", "0", release.V137, true},
		{"1", "30", release.V135, false},
		{"0", "36", release.V135, false},
		{"", "", release.V135, false},
		{"1", "latest", release.V135, false},
	} {
		got, newer := release.OfServer(version.Info{Major: tt.major, Minor: tt.minor})
		if got != tt.want || newer != tt.newer {
			t.Errorf("a server of %s.%s is taken for %v, newer %v", tt.major, tt.minor, got, newer)
		}
	}
}

func TestRelease_DiffersFrom(t *testing.T) {
	for _, tt := range []struct {
		r       release.Release
		minor   string
		nearest release.Release
		differs bool
	}{
		{release.V136, "36+", release.V136, false},
		{release.V135, "36", release.V136, true},
		{release.V137, "36", release.V136, true},
		{release.V135, "34", release.V135, false},
		{release.V137, "38", release.V137, true},
	} {
		nearest, differs := tt.r.DiffersFrom(version.Info{Major: "1", Minor: tt.minor})
		if nearest != tt.nearest || differs != tt.differs {
			t.Errorf("%v differs from a server of 1.%s: %v, nearest %v", tt.r, tt.minor, differs, nearest)
		}
	}
}
