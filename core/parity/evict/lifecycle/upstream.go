package lifecycle

import (
	"context"
	_ "unsafe" // for linkname

	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
)

//go:linkname monitorNodeHealth k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).monitorNodeHealth
func monitorNodeHealth(c *nodelifecycle.Controller, ctx context.Context) error

//go:linkname doNoExecuteTaintingPass k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).doNoExecuteTaintingPass
func doNoExecuteTaintingPass(c *nodelifecycle.Controller, ctx context.Context)

//go:linkname doNoScheduleTaintingPass k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).doNoScheduleTaintingPass
func doNoScheduleTaintingPass(c *nodelifecycle.Controller, ctx context.Context, node string) error
