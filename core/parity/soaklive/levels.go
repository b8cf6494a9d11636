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
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"orrery/core/parity/faultproxy"
)

// level is what a program holds.
type level struct {
	program                          string
	live, resident                   int64 // bytes
	goroutines, descriptors, watches int   // but for those of connections
	sockets                          int
}

// restTime is how long it takes until a program that has nothing to do is at rest: until its watches are open again, and connections that
// it does not use are closed.
const restTime = 100 * time.Second

// levels measures the programs, which have nothing to do: as soon as they hold what is wanted, or else once they are at rest. Their live
// memory is the least of what it is now and what it was.
func (s *soak) levels(ctx context.Context, live []int64) (all []level, err error) {
	s.proxy.BreakConnections()
	if all, err = s.rest(ctx); err != nil {
		return nil, err
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
func (s *soak) rest(ctx context.Context) (all []level, err error) {
	for began, held := time.Now(), false; !held && time.Since(began) < restTime; {
		select {
		case <-ctx.Done():
			return nil, errors.New("interrupted")
		case <-time.After(time.Second):
		}
		all, held = make([]level, len(s.programs)), true
		for i, p := range s.programs {
			if all[i], err = p.counts(ctx, s.proxy); err != nil {
				return nil, err
			}
			held = held && all[i].holds(s.report.wanted(i))
		}
	}
	return all, nil
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

// holds reports whether two levels are the same but for memory and connections.
func (l level) holds(other level) bool {
	return l.goroutines == other.goroutines && l.descriptors == other.descriptors && l.watches == other.watches
}

var (
	sameGoroutines = regexp.MustCompile(`(?m)^(\d+) @ 0x`)
	ofConnection   = regexp.MustCompile(`net/http\.\(\*(persistConn|conn|connReader|Transport)\)|clientConnReadLoop`)
	heapAlloc      = regexp.MustCompile(`# HeapAlloc = (\d+)`)
	residentSize   = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)
)

// counts returns what is counted.
func (p *watchedProgram) counts(ctx context.Context, proxy *faultproxy.Proxy) (l level, err error) {
	profile, err := p.debugPage(ctx, "/debug/pprof/goroutine?debug=1")
	if err != nil {
		return l, err
	}
	l = level{program: p.name, watches: proxy.Watches(p.name)}
	if l.goroutines, err = goroutines(profile); err != nil {
		return l, fmt.Errorf("counting the goroutines of %s: %w", p.name, err)
	}
	dir := fmt.Sprintf("/proc/%d/fd", p.pid)
	descriptors, err := os.ReadDir(dir)
	if err != nil {
		return l, fmt.Errorf("counting the descriptors of %s: %w", p.name, err)
	}
	for _, d := range descriptors {
		if to, err := os.Readlink(filepath.Join(dir, d.Name())); err == nil && strings.HasPrefix(to, "socket:") {
			l.sockets++
		}
	}
	l.descriptors = len(descriptors) - l.sockets
	return l, nil
}

// goroutines counts the goroutines of a profile that are not a connection's own.
func goroutines(profile []byte) (n int, err error) {
	for stack := range bytes.SplitSeq(profile, []byte("\n\n")) {
		if len(stack) == 0 || ofConnection.Match(stack) {
			continue
		}
		same, err := number(sameGoroutines, stack)
		if err != nil {
			return 0, err
		}
		n += int(same)
	}
	return n, nil
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
	page, err := p.debugPage(ctx, path)
	if err != nil {
		return 0, err
	}
	if n, err = number(pattern, page); err != nil {
		return 0, fmt.Errorf("measuring %s: %w", p.name, err)
	}
	return n, nil
}

// debugPage reads a debug page.
func (p *watchedProgram) debugPage(ctx context.Context, path string) (page []byte, err error) {
	for try := range debugTries {
		var answer int
		if page, answer, err = p.askDebug(ctx, path); answer != http.StatusUnauthorized || try == debugTries-1 {
			break
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("interrupted")
		case <-time.After(time.Second):
		}
	}
	return page, err
}

func (p *watchedProgram) askDebug(ctx context.Context, path string) (page []byte, code int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.debug+path, nil)
	if err != nil {
		return nil, 0, err
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}, Timeout: time.Minute}
	answer, err := client.Do(r)
	if err != nil {
		return nil, 0, fmt.Errorf("measuring %s: %w", p.name, err)
	}
	defer answer.Body.Close()
	if page, err = io.ReadAll(answer.Body); err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200q", answer.Status, page)
	}
	if err != nil {
		err = fmt.Errorf("measuring %s: %w", p.name, err)
	}
	return page, answer.StatusCode, err
}

func number(pattern *regexp.Regexp, text []byte) (int64, error) {
	found := pattern.FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("there is no %q in %.200q", pattern, bytes.TrimSpace(text))
	}
	return strconv.ParseInt(string(found[1]), 10, 64)
}
