package framework

import (
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"
)

// withPlugin is a status with a plugin's name. The plugin may return the same status again, so one without the name is
// copied, not changed.
func withPlugin(status *fwk.Status, plugin string) *fwk.Status {
	if status.Plugin() == plugin {
		return status
	}
	named := *status
	named.SetPlugin(plugin)
	return &named
}

// errorOf is the error of a status that is neither a success nor a rejection. Wait and Skip have none; the unexpected code
// is the error then.
func errorOf(status *fwk.Status) error {
	if err := status.AsError(); err != nil {
		return err
	}
	return fmt.Errorf("unexpected status %v", status.Code())
}

// pluginError is the status of a plugin that failed at a point.
func pluginError(point Point, plugin string, status *fwk.Status) *fwk.Status {
	return fwk.AsStatus(fmt.Errorf("running %s plugin %q: %w", point, plugin, errorOf(status)))
}

// checkStatus is nil for success, a rejection under the plugin's name, or an error.
func checkStatus(point Point, plugin string, status *fwk.Status) *fwk.Status {
	switch {
	case status.IsSuccess():
		return nil
	case status.IsRejected():
		return withPlugin(status, plugin)
	}
	return pluginError(point, plugin, status)
}
