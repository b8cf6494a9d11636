package observe

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/kubernetes"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
	"orrery/core/world/live"
)

// moreKinds are kinds that no plugin reads. The lease says which scheduler leads. The others answer questions to the records: owners
// bring pods back in what-ifs, classes and limits shape new pods, and groups have pods that belong together.
var moreKinds = append(world.GroupKinds(),
	world.PriorityClass, world.RuntimeClass, world.LimitRange, world.ReplicaSet, world.StatefulSet, world.Deployment, world.DaemonSet, world.Job, world.Lease,
)

// Kinds returns the kinds that an observer of a scheduler with this configuration reads. There is no other request, but for the version.
func Kinds(c *config.Configuration, plugins framework.Registry) ([]world.Kind, error) {
	e, err := engine.New(engine.Options{Config: c, Plugins: plugins})
	if err != nil {
		return nil, err
	}
	kinds, err := e.WatchedKinds()
	return world.SortKinds(append(kinds, moreKinds...)), err
}

// checkAccess finds out which kinds may be read. Without all pods and nodes nothing can be compared.
func checkAccess(ctx context.Context, client kubernetes.Interface, kinds []world.Kind) (live.Access, error) {
	access, err := live.CheckAccess(ctx, client, kinds, "")
	if err != nil {
		return access, fmt.Errorf("looking at what may be read: %w", err)
	}
	for _, u := range access.Unreadable {
		if u.Kind == world.Pod || u.Kind == world.Node {
			return access, fmt.Errorf(`%s cannot be read, without which nothing can be compared; "orrery manifests --observe" prints a role with the rights: %s`,
				u.Kind.Resource().Resource, printable.Line(u.Err.Error(), 300))
		}
	}
	return access, nil
}

// errReadOnly refuses every request that is no read.
var errReadOnly = errors.New("an observer only reads")
