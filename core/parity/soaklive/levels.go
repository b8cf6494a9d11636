package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"

	"orrery/core/parity/faultproxy"
)

// level is what a program holds.
type level struct {
	program                          string
	live, resident                   int64 // bytes
	goroutines, descriptors, watches int
}

// restTime is how long it takes until a program that has nothing to do is at rest: until its watches are open again, and connections that
// it does not use are closed.
const restTime = 100 * time.Second

// restTries is how often programs may come to rest in another way than before: a burst may spread requests over several connections, and
// those that watches are on stay.
const restTries = 3

// levels measures the programs, which have nothing to do: as soon as they hold what is wanted, or else once they are at rest. Their live
// memory is the least of what it is now and what it was.
func (s *soak) levels(ctx context.Context, live []int64) (all []level, err error) {
	for try, held := 0, false; !held && try < restTries; try++ {
		s.proxy.BreakConnections()
		if all, held, err = s.rest(ctx); err != nil {
			return nil, err
		}
		if len(s.report.measures) < baseline {
			break
		}
	}
	for i, p := range s.programs {
		if err := p.memory(ctx, &all[i]); err != nil {
			return nil, err
		}
		all[i].live = min(all[i].live, live[i])
	}
	return all, nil
}

// rest waits until the programs hold what is wanted, for as long as it takes to come to rest.
func (s *soak) rest(ctx context.Context) (all []level, held bool, err error) {
	for began := time.Now(); !held && time.Since(began) < restTime; {
		select {
		case <-ctx.Done():
			return nil, false, errors.New("interrupted")
		case <-time.After(time.Second):
		}
		all, held = make([]level, len(s.programs)), true
		for i, p := range s.programs {
			if all[i], err = p.counts(ctx, s.proxy); err != nil {
				return nil, false, err
			}
			held = held && all[i].holds(s.report.wanted(i))
		}
	}
	return all, held, nil
}

// sampleTime is how often live memory is measured while pods come and go.
const sampleTime = 5 * time.Second

// leastLive measures live memory until the context ends, and returns the least. Flight recorders hold between half of their bound and all
// of it, so that only the least, right after they let go of a half, can be compared.
func (p *watchedProgram) leastLive(ctx context.Context) (int64, error) {
	tick := time.NewTicker(sampleTime)
	defer tick.Stop()
	for least := int64(math.MaxInt64); ; {
		select {
		case <-ctx.Done():
			return least, nil
		case <-tick.C:
		}
		live, err := p.debugNumber(context.WithoutCancel(ctx), "/debug/pprof/heap?gc=1&debug=1", heapAlloc)
		if err != nil {
			return 0, err
		}
		least = min(least, live)
	}
}

// holds reports whether two levels are the same but for memory.
func (l level) holds(other level) bool {
	return l.goroutines == other.goroutines && l.descriptors == other.descriptors && l.watches == other.watches
}

var (
	totalGoroutines = regexp.MustCompile(`goroutine profile: total (\d+)`)
	heapAlloc       = regexp.MustCompile(`# HeapAlloc = (\d+)`)
	residentSize    = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)
)

// counts returns what is counted.
func (p *watchedProgram) counts(ctx context.Context, proxy *faultproxy.Proxy) (l level, err error) {
	goroutines, err := p.debugNumber(ctx, "/debug/pprof/goroutine?debug=1", totalGoroutines)
	if err != nil {
		return l, err
	}
	descriptors, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.pid))
	if err != nil {
		return l, fmt.Errorf("counting the descriptors of %s: %w", p.name, err)
	}
	return level{program: p.name, goroutines: int(goroutines), descriptors: len(descriptors), watches: proxy.Watches(p.name)}, nil
}

// memory adds the bytes that are live after garbage collections: two, as pools keep what they hold through one.
func (p *watchedProgram) memory(ctx context.Context, l *level) (err error) {
	for range 2 {
		if l.live, err = p.debugNumber(ctx, "/debug/pprof/heap?gc=1&debug=1", heapAlloc); err != nil {
			return err
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return fmt.Errorf("reading the memory of %s: %w", p.name, err)
	}
	l.resident, err = number(residentSize, status)
	l.resident <<= 10
	return err
}

// debugTries is how often a debug page is asked for, a second apart: who asks is unknown while the API server is too slow to say.
const debugTries = 30

// debugNumber reads a number from a debug page.
func (p *watchedProgram) debugNumber(ctx context.Context, path string, pattern *regexp.Regexp) (n int64, err error) {
	for try := range debugTries {
		var answer int
		if n, answer, err = p.askDebug(ctx, path, pattern); answer != http.StatusUnauthorized || try == debugTries-1 {
			break
		}
		select {
		case <-ctx.Done():
			return 0, errors.New("interrupted")
		case <-time.After(time.Second):
		}
	}
	return n, err
}

func (p *watchedProgram) askDebug(ctx context.Context, path string, pattern *regexp.Regexp) (n int64, code int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.debug+path, nil)
	if err != nil {
		return 0, 0, err
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}, Timeout: time.Minute}
	answer, err := client.Do(r)
	if err != nil {
		return 0, 0, fmt.Errorf("measuring %s: %w", p.name, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, 0, fmt.Errorf("measuring %s: %w", p.name, err)
	}
	if n, err = number(pattern, body); err != nil {
		err = fmt.Errorf("measuring %s: %s: %w", p.name, answer.Status, err)
	}
	return n, answer.StatusCode, err
}

func number(pattern *regexp.Regexp, text []byte) (int64, error) {
	found := pattern.FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("there is no %q in %.200q", pattern, bytes.TrimSpace(text))
	}
	return strconv.ParseInt(string(found[1]), 10, 64)
}
