//go:build processes

package live_test

import (
	"fmt"
	"sync"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/program"
	"orrery/core/parity/storage"
)

// choosePlane has the API server run as a process, of the release that is asked for.
func choosePlane(o *apiserver.Options) error {
	asked, err := program.Asked()
	if err == nil && len(asked) != 1 {
		err = fmt.Errorf("these tests have the control plane of one release: name it, as in %s=1.37", program.Switch)
	}
	if err != nil {
		return err
	}
	served = asked[0]
	o.Flags = append(append(o.Flags, planeFlags()...), "--feature-gates="+planeGates())
	o.Program, err = program.BuildOf(served, program.KubeAPIServer)
	return err
}

// kubeScheduler is that of the same release.
var kubeScheduler = schedulerProgram{file: builtOf(program.KubeScheduler)}

func builtOf(pkg string) func() (string, error) {
	return sync.OnceValues(func() (string, error) { return program.BuildOf(served, pkg) })
}

var managerProgram = builtOf(program.KubeControllerManager)

// controllerManager is that of the same release.
func controllerManager(dir string) (*storage.Manager, error) {
	file, err := managerProgram()
	if err != nil {
		return nil, err
	}
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	return &storage.Manager{Program: file, Kubeconfig: kubeconfig, Dir: dir}, err
}
