package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/component-base/metrics"
)

func TestLabels_OfManifest(t *testing.T) {
	for manifest, want := range map[string]struct {
		mapping map[string]string
		problem string
	}{
		`"scheduler_pending_pods,queue": "active,backoff"`: {mapping: map[string]string{"scheduler_pending_pods,queue": "active,backoff"}},
		`no label: a`: {problem: "must have keys with format"},
		`a,b: [1]`:    {problem: "reading the values that labels may have"},
		"a: b\na: c":  {problem: "already set in map"},
		"a: " + strings.Repeat("b", maxLabelsManifest): {problem: "has more than 1048576 bytes"},
	} {
		path := filepath.Join(t.TempDir(), "labels.yaml")
		if err := os.WriteFile(path, []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		f := &runFlags{metrics: metrics.NewOptions()}
		f.metrics.AllowListMappingManifest = path
		err := errors.Join(f.validateMetrics()...)
		if (err == nil) != (want.problem == "") || err != nil && !strings.Contains(err.Error(), want.problem) {
			t.Errorf("%.40q: %v, want %q", manifest, err, want.problem)
		}
		if err == nil {
			if diff := cmp.Diff(want.mapping, f.metrics.AllowListMapping); diff != "" {
				t.Errorf("%.40q: %s", manifest, diff)
			}
		}
	}
}
