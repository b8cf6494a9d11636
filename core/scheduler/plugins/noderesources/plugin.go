package noderesources

import (
	"context"
	"errors"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/requests"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

// Name of the fit plugin, in configurations, metrics and statuses.
const Name = config.NodeResourcesFit

// Fit is the plugin NodeResourcesFit.
type Fit struct {
	requestOptions requestOptions
	ignored        map[v1.ResourceName]bool // extended resources that Filter ignores
	ignoredGroups  map[string]bool          // by domain
	strategy       strategy
	unsignable     bool
	devices        *deviceCounter // of devices that are counted as extended resources; nil without the gate

	// The state of the last pod, which the next one of its template shares.
	lastFilter *filterState
	lastScored *scored
}

var (
	_ fwk.PreFilterPlugin   = (*Fit)(nil)
	_ fwk.FilterPlugin      = (*Fit)(nil)
	_ fwk.PreScorePlugin    = (*Fit)(nil)
	_ fwk.ScorePlugin       = (*Fit)(nil)
	_ fwk.EnqueueExtensions = (*Fit)(nil)
	_ framework.NodeLocal   = (*Fit)(nil)
)

// New makes the fit plugin from NodeResourcesFitArgs.
func New(_ context.Context, args runtime.Object, h fwk.Handle, features config.Features) (fwk.Plugin, error) {
	fit, ok := args.(*configv1.NodeResourcesFitArgs)
	if !ok {
		return nil, fmt.Errorf("want args to be of type NodeResourcesFitArgs, got %T", args)
	}
	if err := config.ValidateNodeResourcesFitArgs(nil, fit, features); err != nil {
		return nil, err
	}
	if fit.ScoringStrategy == nil {
		return nil, errors.New("scoring strategy not specified")
	}
	if len(fit.ScoringStrategy.Resources) == 0 {
		return nil, errors.New("scoringStrategy.resources is empty: name at least one resource to score by")
	}
	f := &Fit{
		requestOptions: newRequestOptions(features),
		ignored:        map[v1.ResourceName]bool{},
		ignoredGroups:  map[string]bool{},
		strategy:       newStrategy(fit.ScoringStrategy),
		unsignable:     refusesAllSignatures(features),
		devices:        newDeviceCounter(h, features),
	}
	for _, name := range fit.IgnoredResources {
		f.ignored[v1.ResourceName(name)] = true
	}
	for _, group := range fit.IgnoredResourceGroups {
		f.ignoredGroups[group] = true
	}
	return f, nil
}

// Name is the plugin's name.
func (*Fit) Name() string { return Name }

// ignores reports whether Filter leaves a resource to an extender. It can ignore extended resources only.
func (f *Fit) ignores(name v1.ResourceName) bool {
	if len(f.ignored) == 0 && len(f.ignoredGroups) == 0 || !requests.IsExtended(name) {
		return false
	}
	group, _, _ := strings.Cut(string(name), "/")
	return f.ignored[name] || f.ignoredGroups[group]
}
