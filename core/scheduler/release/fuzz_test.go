package release_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/version"

	"orrery/core/scheduler/release"
	"orrery/core/testing/fuzz"
)

// FuzzParse reads releases as flags and recordings name them, and as API servers do.
//
//orrery:reads core/scheduler/release
func FuzzParse(f *testing.F) {
	for _, text := range []string{"1.35", "v1.36", "1.37.2", "1.38", "2.36", "1", "1.36.x", "1.2147483648", "1.36+", "\x1b[2J"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fuzz.Cost(t, len(text), func() {
			r, err := release.Parse(text)
			if err != nil {
				fuzz.Error(t, err)
			}
			if again, err := release.Parse(r.String()); err != nil || again != r {
				t.Errorf("%q gives %v, which gives %v, %v", text, r, again, err)
			}
			if near, _ := release.OfServer(version.Info{Major: "1", Minor: text}); near > release.Newest {
				t.Errorf("a server of 1.%q is taken for %v", text, near)
			}
		})
	})
}
