package compare

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"orrery/core/safe/panics"
)

// Simulations know nothing of each other, so as many run at once as there are cores. Those of the first seed tell how many decisions a
// round takes, and with that how many seeds there are.

// simulated is what is left of a simulation once it has ended.
type simulated struct {
	result Result
	places map[podKey]string // the first node of each pod
	nodes  int
	err    error
}

// simulateAll simulates all configurations under every seed.
func (c *Comparison) simulateAll(w *workload, configurations []Configuration, o Options) error {
	first, err := simulateEach(w, configurations, 0, 1, o)
	if err != nil {
		return err
	}
	decisions := 0
	for i := range first {
		decisions += first[i].result.Decisions
		c.Nodes = max(c.Nodes, first[i].nodes)
	}
	for c.Seeds = 1; c.Seeds < maxSeeds && (c.Seeds+1)*decisions <= maxSeedDecisions; {
		c.Seeds++
	}
	rest, err := simulateEach(w, configurations, 1, c.Seeds, o)
	if err != nil {
		return err
	}
	for n, s := range append(first, rest...) {
		for pod, node := range s.places {
			if was, placed := first[0].places[pod]; placed && was != node {
				s.result.OtherNode++
			}
		}
		if n < len(configurations) {
			c.Results = append(c.Results, s.result)
		}
		result := &c.Results[n%len(configurations)]
		result.BySeed = append(result.BySeed, s.result.figures())
	}
	return nil
}

// simulateEach simulates all configurations under some seeds, and returns the simulations by seed.
func simulateEach(w *workload, configurations []Configuration, from, to int, o Options) ([]simulated, error) {
	all := make([]simulated, (to-from)*len(configurations))
	next := make(chan int, len(all))
	for n := range all {
		next <- n
	}
	close(next)
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		running.Go(func() {
			for n := range next {
				of := configurations[n%len(configurations)]
				if panicked := panics.Call("a simulation", func() { all[n] = simulateOnce(w, of, draws{seed: uint64(from + n/len(configurations))}, o) }); panicked != nil {
					all[n].err = panicked
				}
			}
		})
	}
	running.Wait()
	var errs []error
	for n := range all {
		if all[n].err != nil {
			errs = append(errs, fmt.Errorf("comparing configurations: %q: %w", configurations[n%len(configurations)].Name, all[n].err))
		}
	}
	return all, errors.Join(errs...)
}

func simulateOnce(w *workload, of Configuration, d draws, o Options) simulated {
	s, err := simulate(w, of, d, o)
	if err != nil {
		return simulated{err: err}
	}
	return simulated{result: s.result(of.Name), places: s.firstNodes(), nodes: s.samples.nodes}
}
