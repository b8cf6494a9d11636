//go:build !processes

package live_test

import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/program"
	"orrery/core/parity/storage"
)

// choosePlane has the API server run in this process, of the release that this program is linked with. It reads the process's feature
// gates, not its flags.
func choosePlane(o *apiserver.Options) (err error) {
	if served, err = program.Linked(); err != nil {
		return err
	}
	o.Flags = append(o.Flags, planeFlags()...)
	return utilfeature.DefaultMutableFeatureGate.Set(planeGates())
}

// kubeScheduler is that of the same release.
var kubeScheduler = schedulerProgram{file: built(program.KubeScheduler)}

// controllerManager runs in this process, too.
func controllerManager(string) (*storage.Manager, error) { return nil, nil }
