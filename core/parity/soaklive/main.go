package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/faultproxy"
	"orrery/core/parity/program"
)

// options are the command line's.
type options struct {
	minutes, rate, nodes, alive int
	seed                        uint64
	serve                       string
}

func main() { program.Main("soaklive", run) }

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("soaklive", flag.ContinueOnError)
	f.IntVar(&o.minutes, "minutes", 60, "how many minutes it takes")
	f.IntVar(&o.rate, "rate", 200, "how many pods are created, bound and deleted per second")
	f.IntVar(&o.nodes, "nodes", 100, "how many nodes the cluster has")
	f.IntVar(&o.alive, "alive", 2000, "how many pods there are at a time")
	f.Uint64Var(&o.seed, "seed", 1, "the seed of pods and faults")
	f.StringVar(&o.serve, "serve", "", "run the API server, with its files in this `directory`, until standard input ends")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.minutes < 1 || o.rate < 1 || o.nodes < 1 || o.alive < 1 {
		return o, errors.New("-minutes, -rate, -nodes and -alive must be at least 1")
	}
	if room := o.nodes * nodePods; o.alive > room/2 {
		return o, fmt.Errorf("-alive %d: %d nodes hold %d pods, and half of that has to stay free", o.alive, o.nodes, room)
	}
	return o, nil
}

// rounds is how many rounds there are; the levels of the one with the number baseline are the measure of those after it.
const (
	rounds   = 12
	baseline = 2
)

// The users of the programs, which are told apart by them.
var users = []string{"replica-1", "replica-2", "console"}

func run(ctx context.Context, args []string, to io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.serve != "" {
		return apiserver.Serve(apiserver.Options{Dir: o.serve, Users: users, Flags: []string{"--event-ttl=2m"}}, os.Stdin, to)
	}
	dir, err := os.MkdirTemp("", "orrery-soak")
	if err != nil {
		return fmt.Errorf("creating a directory for the soak: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fmt.Fprintln(to, "Starting etcd and kube-apiserver, and building the programs…")
	server, err := apiserver.StartProcess(dir, users, "-serve", dir)
	if err != nil {
		return err
	}
	defer server.Stop()
	admin, err := server.Config(apiserver.Admin)
	if err != nil {
		return err
	}
	proxy, err := faultproxy.New(admin, o.seed)
	if err != nil {
		return err
	}
	defer proxy.Close()
	s := soak{options: o, to: to, dir: dir, server: server, proxy: proxy}
	return s.run(ctx)
}

// soak is one run.
type soak struct {
	options
	to     io.Writer
	dir    string
	server *apiserver.Process
	proxy  *faultproxy.Proxy

	pods     *churn
	programs []*watchedProgram
	report   report
}

func (s *soak) run(ctx context.Context) error {
	client, err := s.server.Client()
	if err != nil {
		return err
	}
	if s.pods, err = newChurn(ctx, client, s.options); err != nil {
		return err
	}
	defer s.pods.end()
	if err := s.startPrograms(ctx, client); err != nil {
		return err
	}
	defer s.killPrograms()
	s.report.to = s.to
	for n := range rounds {
		if err := s.round(ctx, n); err != nil {
			return err
		}
	}
	if err := s.finish(ctx); err != nil {
		return err
	}
	return s.report.end()
}

// faultsOf are the faults of each round in turn. A leader keeps its lease through them.
var faultsOf = []faultproxy.Faults{
	{Busy: 0.02, Slow: 100 * time.Millisecond, Lost: 0.02, WatchMost: 45 * time.Second, Graceful: true, Expired: 0.2},
	{Slow: 200 * time.Millisecond, WatchMost: 10 * time.Second, Graceful: true},
	{Busy: 0.05, Lost: 0.05},
}

// quietTime is the part of a round for the last bindings and for measuring, at most half of it.
const quietTime = 20 * time.Second

// round lets pods come and go, and measures.
func (s *soak) round(ctx context.Context, n int) error {
	took := time.Duration(s.minutes) * time.Minute / rounds
	took -= min(quietTime, took/2)
	s.proxy.Set(faultsOf[n%len(faultsOf)])
	began, had := time.Now(), s.pods.counts()
	sampling, endSampling := context.WithCancel(ctx)
	defer endSampling()
	var samples errgroup.Group
	live := make([]int64, len(s.programs))
	for i, p := range s.programs {
		samples.Go(func() (err error) {
			live[i], err = p.leastLive(sampling)
			return err
		})
	}
	for _, part := range []time.Duration{took / 2, took} {
		if err := s.pods.churnUntil(ctx, began.Add(part)); err != nil {
			return err
		}
		s.proxy.BreakConnections()
		if err := s.alive(); err != nil {
			return err
		}
	}
	now := s.pods.counts()
	endSampling()
	if err := samples.Wait(); err != nil {
		return err
	}
	s.proxy.Set(faultproxy.Faults{})
	if err := s.pods.settle(ctx); err != nil {
		return err
	}
	m := measure{
		minute: time.Since(s.pods.began).Minutes(), rate: float64(now.bound-had.bound) / took.Seconds(), slowest: s.pods.slowest(),
		faults: s.proxy.Injected(),
	}
	var err error
	if m.levels, err = s.levels(ctx, live); err != nil {
		return err
	}
	s.report.add(m)
	return nil
}
