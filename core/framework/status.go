package framework

import (
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"
)

// named is a status that carries a plugin's name. The plugin may hand out the same status again, so one that lacks the
// name is copied, not changed.
func named(status *fwk.Status, plugin string) *fwk.Status {
	if status.Plugin() == plugin {
		return status
	}
	named := *status
	named.SetPlugin(plugin)
	return &named
}

// cause is the error in a status that is neither a success nor a rejection. Wait and Skip hold none; where they are
// not expected, that is the error.
func cause(status *fwk.Status) error {
	if err := status.AsError(); err != nil {
		return err
	}
	return fmt.Errorf("unexpected status %v", status.Code())
}

// broken is the error status of a plugin that failed at a point.
func broken(point Point, plugin string, status *fwk.Status) *fwk.Status {
	return fwk.AsStatus(fmt.Errorf("running %s plugin %q: %w", point, plugin, cause(status)))
}

// judged turns what a plugin of the later points said into what it means: a rejection under its name, or an error.
func judged(point Point, plugin string, status *fwk.Status) *fwk.Status {
	switch {
	case status.IsSuccess():
		return nil
	case status.IsRejected():
		return named(status, plugin)
	}
	return broken(point, plugin, status)
}
