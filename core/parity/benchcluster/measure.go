package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/program"
)

// The contenders. The binders decide nothing: they are the least that a scheduler can cost, without its events and with them.
const (
	upstream     = "upstream"
	orrery       = "orrery"
	binder       = "binder"
	binderEvents = "binder, events"
)

// scheduler is the user of both schedulers, with the rights that a cluster grants its scheduler.
const scheduler = "system:kube-scheduler"

// contenders are in the order of a round; packages are their programs'.
var (
	contenders = []string{upstream, orrery, binder, binderEvents}
	packages   = map[string]string{
		upstream: program.KubeScheduler, orrery: program.Orrery, binder: "orrery/core/parity/benchcluster/binder",
		binderEvents: "orrery/core/parity/benchcluster/binder",
	}
)

// sample is the result of one run.
type sample struct {
	took   time.Duration // from the first binding to the last
	until  time.Duration // from the start of the process to the first binding
	cpu    time.Duration
	memory int64 // bytes, at the most
	events int   // written
	pods   int
}

// podsPerSecond does not count the first pod, since its binding starts the clock.
func (s sample) podsPerSecond() float64 { return float64(s.pods-1) / s.took.Seconds() }

// cpuPerPod is in milliseconds.
func (s sample) cpuPerPod() float64 { return float64(s.cpu.Microseconds()) / 1000 / float64(s.pods) }

func (s sample) String() string {
	return fmt.Sprintf("%.0f pods/s, %.2f ms of CPU per pod, %d MiB, %d events, first binding after %.1f s",
		s.podsPerSecond(), s.cpuPerPod(), s.memory>>20, s.events, s.until.Seconds())
}

// bench is one benchmark.
type bench struct {
	options
	to       io.Writer
	programs map[string]string
	runs     map[string][]sample
	began    time.Time
	load     string

	profiling sync.WaitGroup
}

func (b *bench) wants(side string) bool { return b.side == "" || b.side == side }

func (b *bench) measure(ctx context.Context, dir string) error {
	for round := range b.rounds {
		for i, side := range contenders {
			if !b.wants(side) {
				continue
			}
			s, err := b.once(ctx, side, filepath.Join(dir, fmt.Sprintf("%d-%d", i, round)))
			if err != nil {
				return fmt.Errorf("round %d of %s: %w", round+1, side, err)
			}
			fmt.Fprintf(b.to, "%-14s  %s\n", side, s)
			b.runs[side] = append(b.runs[side], s)
		}
	}
	return nil
}

const (
	runTimeout = 10 * time.Minute // for all bindings of a run
	eventGrace = 3 * time.Second  // for the last events to be written
)

// once does one run, with its own cluster.
func (b *bench) once(ctx context.Context, side, dir string) (sample, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return sample{}, fmt.Errorf("creating a directory for a run: %w", err)
	}
	defer os.RemoveAll(dir)
	server, err := apiserver.StartProcess(dir, []string{scheduler}, "-serve", dir)
	if err != nil {
		return sample{}, err
	}
	defer server.Stop()
	client, err := server.Client()
	if err != nil {
		return sample{}, err
	}
	if err := fill(ctx, client, b.options); err != nil {
		return sample{}, err
	}
	bound, err := followBindings(ctx, client)
	if err != nil {
		return sample{}, err
	}
	defer bound.watch.Stop()
	began := time.Now()
	p, err := b.start(side, dir, server)
	if err != nil {
		return sample{}, err
	}
	if err := bound.await(ctx, b.pods, p.Ended()); err != nil {
		p.Stop()
		return sample{}, fmt.Errorf("%w; its log ends with:\n%s", err, p.Log(2000))
	}
	time.Sleep(eventGrace)
	b.profiling.Wait()
	p.Stop()
	s := sample{
		took: bound.last.Sub(bound.first), until: bound.first.Sub(began), cpu: p.CPU(), memory: p.PeakMemory(), pods: b.pods,
	}
	if s.events, err = countEvents(ctx, client); err != nil {
		return sample{}, err
	}
	return s, bound.fit()
}

// start runs a contender.
func (b *bench) start(side, dir string, s *apiserver.Process) (*program.Process, error) {
	switch side {
	case binder, binderEvents:
		return program.Start(dir, b.programs[side], "-kubeconfig="+s.Kubeconfig(scheduler), fmt.Sprintf("-events=%t", side == binderEvents))
	}
	return b.startScheduler(side, dir, s)
}

// startScheduler runs a scheduler. Both read the same file.
func (b *bench) startScheduler(side, dir string, s *apiserver.Process) (*program.Process, error) {
	config := filepath.Join(dir, "config.yaml")
	text := fmt.Sprintf("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
		"clientConnection: {kubeconfig: %q, qps: 5000, burst: 5000}\nleaderElection: {leaderElect: false}\n", s.Kubeconfig(scheduler))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("writing the configuration: %w", err)
	}
	port, err := apiserver.FreePort()
	if err != nil {
		return nil, err
	}
	args := []string{
		"--config=" + config, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--cert-dir=" + dir,
		"--authentication-kubeconfig=" + s.Kubeconfig(scheduler), "--authorization-kubeconfig=" + s.Kubeconfig(scheduler),
	}
	if side == orrery {
		args = append([]string{"run"}, args...)
	}
	p, err := program.Start(dir, b.programs[side], args...)
	if err == nil && side == orrery && b.profile != "" {
		b.profiling.Go(func() { saveProfile(port, b.profile, p.Ended()) })
	}
	return p, err
}
