package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/go-logr/logr"

	"orrery/core/process/replica"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo/scenario"
)

// record runs a scenario on a new cluster, from its warm-up to its end, and returns the recording of a scheduler that is
// started after the warm-up.
func record(ctx context.Context, s *scenario.Scenario) (recording []byte, err error) {
	dir, err := os.MkdirTemp("", "orrery-record")
	if err != nil {
		return nil, fmt.Errorf("creating a directory for the cluster: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c, err := newCluster(dir, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.warmUp(ctx, s); err != nil {
		return nil, fmt.Errorf("warming up: %w", err)
	}
	var file bytes.Buffer
	if err := c.perform(ctx, s, &file); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// warmUp creates the initial objects and runs a scheduler for the time of the warm-up.
func (c *cluster) warmUp(ctx context.Context, s *scenario.Scenario) error {
	if err := s.NewScriptRunner(c, time.Now(), nil).CreateInitial(); err != nil {
		return err
	}
	r, err := c.scheduler(s, replica.Instruments{})
	if err != nil {
		return err
	}
	running, stop := context.WithTimeout(ctx, s.Warmup)
	defer stop()
	return errors.Join(r.Run(running), ctx.Err())
}

// scheduler returns a replica like those of orrery run, which also watches kinds that are only shown.
func (c *cluster) scheduler(s *scenario.Scenario, i replica.Instruments) (*replica.Replica, error) {
	return replica.New(replica.Options{
		Config: s.Configuration(), KubeConfig: c.config, Identity: "scheduler-1", Seed: s.Seed(), Logger: logr.Discard(), Instruments: i,
		Kinds: func(e *engine.Engine) ([]world.Kind, error) {
			needed, err := e.WatchedKinds()
			return slices.DeleteFunc(world.Kinds(), func(k world.Kind) bool {
				return !slices.Contains(needed, k) && !slices.Contains(shownKinds, k)
			}), err
		},
	})
}

// shownKinds are kinds that are shown, but that no plugin needs.
var shownKinds = []world.Kind{
	world.PriorityClass, world.ReplicaSet, world.StatefulSet, world.Deployment, world.DaemonSet, world.Job, world.PodDisruptionBudget, world.Lease,
}

// perform starts a scheduler and runs the scenario.
func (c *cluster) perform(ctx context.Context, s *scenario.Scenario, to io.Writer) (err error) {
	n := &narrator{}
	var options engine.Options
	var recorderErr error
	r, err := c.scheduler(s, replica.Instruments{
		Prepare: func(o *engine.Options) {
			o.Start = time.Now().UTC().Round(0)
			options = *o
		},
		Observer: func(e *engine.Engine) drive.Observer {
			n.recorder, recorderErr = play.NewRecorder(to, e, options, play.About{Program: recordedBy(), Description: s.About()})
			return n
		},
	})
	if err := errors.Join(err, recorderErr); err != nil {
		return fmt.Errorf("creating the recorded scheduler: %w", err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- r.Run(running) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
	}()
	d := s.NewScriptRunner(c, options.Start, func(text string) { err = errors.Join(err, n.say(running, r, text)) })
	if followErr := c.follow(running, d, options.Start.Add(s.Length), ended); followErr != nil || err != nil {
		return errors.Join(err, followErr)
	}
	return n.end(running, r)
}

// follow runs the script until the end.
func (c *cluster) follow(ctx context.Context, d *scenario.ScriptRunner, end time.Time, ended chan error) error {
	for {
		wake, due := d.NextWake()
		if !due || wake.After(end) {
			wake = end
		}
		timer := time.NewTimer(time.Until(wake))
		var err error
		select {
		case change := <-c.changes:
			err = d.Apply(world.Input{At: time.Now(), Event: change})
		case <-timer.C:
			if !time.Now().Before(end) {
				return nil
			}
			err = d.Tick(time.Now())
		case err = <-ended:
			ended <- err // for perform, which waits for it
			err = fmt.Errorf("the scheduler stopped before the scenario's end: %w", err)
		case <-ctx.Done():
			err = ctx.Err()
		}
		if timer.Stop(); err != nil {
			return err
		}
	}
}

// recordedBy returns the name of the recording program and of the cluster's API server.
func recordedBy() string {
	where := "kube-apiserver"
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range build.Deps {
			if dep.Path == "k8s.io/kubernetes" {
				where += " " + dep.Version
			}
		}
	}
	return "orrery on " + where
}
