package app_test

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/testing/plugintest"
)

// fragilePlugin makes a plugin that panics at every point, each over the pod that is named after it.
func fragilePlugin(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return &plugintest.Fragile{}, nil
}
