package app

import (
	"errors"
	"fmt"

	"k8s.io/component-base/metrics"
	"sigs.k8s.io/yaml"

	"orrery/core/safe/files"
)

// maxLabelsManifest bounds the bytes of --allow-metric-labels-manifest.
//
//orrery:limit files; a manifest of the values that labels of metrics may have, in bytes; refused
const maxLabelsManifest = 1 << 20

// validateMetrics checks the flags of metrics. It reads the manifest of labels itself: component-base reads it without a bound.
func (f *runFlags) validateMetrics() []error {
	o := f.metrics
	if path := o.AllowListMappingManifest; path != "" {
		if o.AllowListMapping != nil {
			return []error{errors.New("give either --allow-metric-labels or --allow-metric-labels-manifest, not both")}
		}
		text, err := files.Read(path, maxLabelsManifest)
		if err == nil {
			err = yaml.UnmarshalStrict(text, &o.AllowListMapping)
		}
		if err != nil {
			return []error{fmt.Errorf("--allow-metric-labels-manifest: reading the values that labels may have from %q: %w", path, err)}
		}
		o.AllowListMappingManifest = ""
	}
	return o.Validate()
}

// applyMetrics has the metrics of the process follow the flags. What is not given is left alone, for component-base logs an error about it.
func (f *runFlags) applyMetrics() {
	o := f.metrics
	if o.ShowHiddenMetricsForVersion != "" {
		metrics.SetShowHidden()
	}
	metrics.SetDisabledMetrics(o.DisabledMetrics)
	if len(o.AllowListMapping) > 0 {
		metrics.SetLabelAllowList(o.AllowListMapping)
	}
}
