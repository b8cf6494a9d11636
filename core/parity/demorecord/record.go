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

	"orrery/core/drive"
	"orrery/core/engine"
	"orrery/core/replica"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo/scenario"
)

// record has a scenario happen on a cluster of its own, from its warm-up to its end, and gives the recording of a
// scheduler that was started when the story began.
func record(ctx context.Context, s *scenario.Scenario) (recording []byte, err error) {
	dir, err := os.MkdirTemp("", "orrery-record")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the cluster: %w", err)
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

// warmUp creates what is there from the beginning and has somebody schedule it.
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

// scheduler is a replica like those of orrery run, which is also told of what people want to see beside the scheduling.
func (c *cluster) scheduler(s *scenario.Scenario, i replica.Instruments) (*replica.Replica, error) {
	return replica.New(replica.Options{
		Config: s.Configuration(), KubeConfig: c.config, Identity: "scheduler-1", Seed: s.Seed(), Logger: logr.Discard(), Instruments: i,
		Kinds: func(e *engine.Engine) ([]world.Kind, error) {
			asked, err := e.WatchedKinds()
			return slices.DeleteFunc(world.Kinds(), func(k world.Kind) bool {
				return !slices.Contains(asked, k) && !slices.Contains(beside, k)
			}), err
		},
	})
}

// beside are the kinds that no plugin asks for.
var beside = []world.Kind{
	world.PriorityClass, world.ReplicaSet, world.StatefulSet, world.Deployment, world.DaemonSet, world.Job, world.PodDisruptionBudget, world.Lease,
}

// perform starts a scheduler and has the story happen to it.
func (c *cluster) perform(ctx context.Context, s *scenario.Scenario, to io.Writer) (err error) {
	n := &narrator{}
	var options engine.Options
	var refused error
	r, err := c.scheduler(s, replica.Instruments{
		Prepare: func(o *engine.Options) {
			o.Start = time.Now().UTC().Round(0)
			options = *o
		},
		Observer: func(e *engine.Engine) drive.Observer {
			n.recorder, refused = play.NewRecorder(to, e, options, play.About{Program: recordedBy(), Description: s.About()})
			return n
		},
	})
	if err := errors.Join(err, refused); err != nil {
		return fmt.Errorf("making the scheduler that is recorded: %w", err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- r.Run(running) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
	}()
	d := s.NewScriptRunner(c, options.Start, func(text string) { err = errors.Join(err, n.say(running, r, text)) })
	if told := c.follow(running, d, options.Start.Add(s.Length), ended); told != nil || err != nil {
		return errors.Join(err, told)
	}
	return n.end(running, r)
}

// follow directs until the end.
func (c *cluster) follow(ctx context.Context, d *scenario.ScriptRunner, end time.Time, ended chan error) error {
	for {
		wake, due := d.NextWake()
		if !due || wake.After(end) {
			wake = end
		}
		timer := time.NewTimer(time.Until(wake))
		var err error
		select {
		case news := <-c.news:
			err = d.Apply(world.Input{At: time.Now(), Event: news})
		case <-timer.C:
			if !time.Now().Before(end) {
				return nil
			}
			err = d.Tick(time.Now())
		case err = <-ended:
			ended <- err // for who waits for it in the end
			err = fmt.Errorf("the scheduler ended before the story did: %w", err)
		case <-ctx.Done():
			err = ctx.Err()
		}
		if timer.Stop(); err != nil {
			return err
		}
	}
}

// recordedBy names the recording program, and where it recorded.
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
