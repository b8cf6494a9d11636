package storage

import (
	"context"
	"fmt"
	"strings"

	"orrery/core/parity/program"
)

// Manager is a kube-controller-manager that runs upstream's controllers as a process, instead of in this one.
type Manager struct {
	// Program is its file, Kubeconfig that of a user with all rights. Its log is in Dir.
	Program, Kubeconfig, Dir string
}

// managed are the controllers that run, as kube-controller-manager names them: those of controllers.go, and what keeps the claims for devices.
var managed = []string{
	"persistentvolume-binder-controller", "persistentvolume-attach-detach-controller", "ephemeral-volume-controller",
	"persistentvolumeclaim-protection-controller", "persistentvolume-protection-controller", "statefulset-controller", "resourceclaim-controller",
}

// start starts it. The function that it returns ends it when the context ends.
func (m *Manager) start() (run func(context.Context), err error) {
	p, err := program.Start(m.Dir, m.Program, "--kubeconfig="+m.Kubeconfig, "--controllers="+strings.Join(managed, ","), "--leader-elect=false",
		"--secure-port=0", "--kube-api-qps=1000", "--kube-api-burst=1000")
	if err != nil {
		return nil, fmt.Errorf("starting the controllers of volumes: %w", err)
	}
	return func(ctx context.Context) {
		<-ctx.Done()
		p.Kill()
	}, nil
}
