package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/program"
)

// options are the command line's.
type options struct {
	nodes, pods, port int
	kubeScheduler     bool
	churn             time.Duration
	kubeconfig        string
}

func main() { program.Main("democluster", run) }

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("democluster", flag.ContinueOnError)
	f.IntVar(&o.nodes, "nodes", 60, "how many nodes there are")
	f.IntVar(&o.pods, "pods", 400, "about how many replicas the workloads have")
	f.IntVar(&o.port, "port", 0, "the API server's port on 127.0.0.1; 0 selects a free one")
	f.BoolVar(&o.kubeScheduler, "kube-scheduler", false, "run kube-scheduler in it, so that the console has a scheduler to watch")
	f.DurationVar(&o.churn, "churn", 2*time.Second, "how often a pod is replaced by a new one; 0 means never")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "write the kubeconfig to this new `file`; by default to one in a temporary directory")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.nodes < 1 || o.pods < 1 || o.churn < 0 {
		return o, errors.New("--nodes and --pods must be at least 1, and --churn must not be negative")
	}
	return o, nil
}

// run runs the cluster until the context ends. Its files are in one directory, which it removes.
func run(ctx context.Context, args []string, to io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "orrery-demo")
	if err != nil {
		return fmt.Errorf("creating a directory for the cluster: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fmt.Fprintln(to, "Starting etcd and kube-apiserver…")
	s, err := apiserver.New(apiserver.Options{Dir: dir, Users: []string{scheduler}, Port: o.port})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	c := &cluster{options: o, server: s}
	file, remove, err := c.writeKubeconfig()
	if err != nil {
		return err
	}
	defer remove()
	working, rest := context.WithCancel(ctx)
	defer func() { rest(); c.group.Wait() }()
	if err := c.start(working); err != nil {
		return err
	}
	var exited <-chan struct{}
	var kubeScheduler *program.Process
	if o.kubeScheduler {
		fmt.Fprintln(to, "Building and starting kube-scheduler…")
		if kubeScheduler, err = startKubeScheduler(dir, s); err != nil {
			return err
		}
		defer kubeScheduler.Stop()
		exited = kubeScheduler.Ended()
	}
	fmt.Fprint(to, o.whatNext(file))
	select {
	case <-ctx.Done():
		fmt.Fprintln(to, "Stopping…")
		return nil
	case <-exited:
		return fmt.Errorf("kube-scheduler exited:\n%s", kubeScheduler.Log(2000))
	}
}

func startKubeScheduler(dir string, s *apiserver.Server) (*program.Process, error) {
	name, err := program.Build(program.KubeScheduler, dir)
	if err != nil {
		return nil, err
	}
	file, err := s.Kubeconfig(scheduler)
	if err != nil {
		return nil, err
	}
	return program.Start(dir, name, "--kubeconfig="+file, "--secure-port=0")
}

func (o options) whatNext(kubeconfig string) string {
	scheduling, further := "It has no scheduler yet.", fmt.Sprintf(`  orrery console --schedule --allow-actions
        schedule its pods, with actions on the screen
  orrery run --kubeconfig $KUBECONFIG --authentication-kubeconfig $KUBECONFIG \
        --authorization-kubeconfig $KUBECONFIG --bind-address 127.0.0.1 --cert-dir %[1]s
        schedule its pods without a screen
  orrery attach https://127.0.0.1:10259 --certificate-authority %[1]s/kube-scheduler.crt
        the screen on that scheduler, while it runs
`, filepath.Join(filepath.Dir(kubeconfig), "scheduler"))
	if o.kubeScheduler { // which holds the lease
		scheduling, further = "Its scheduler is kube-scheduler.", `  orrery console --allow-actions
        the same, with actions on the screen
`
	}
	return fmt.Sprintf(`
A cluster with %d nodes is up. %s In another terminal:

  export KUBECONFIG=%s

  orrery console
        watch it, and shadow its scheduler
%s  kubectl get pods -A
  kubectl -n shop scale replicaset web-6d5f8c --replicas 300

Ctrl-C stops it and removes all its files.
`, o.nodes, scheduling, kubeconfig, further)
}
