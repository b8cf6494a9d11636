// Package serve answers the requests of package oracle with a real kube-scheduler, in virtual time. It compiles with Kubernetes 1.35 and
// later; the main packages in core/parity/v136 and its neighbours choose the release, and hand in what its API calls otherwise.
//
//	serve.go      requests and replies
//	scheduler.go  one kube-scheduler, and its decisions
//	client.go     its client, which records calls and has some of them fail
//	objects.go    the objects that it was told of
//	state.go      what is in its queue and caches
package serve

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/parity/oracle"
)

// Main answers requests on standard input until they end.
func Main(release Release) {
	s := &server{
		release: release, requests: json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20)), replies: json.NewEncoder(os.Stdout),
	}
	os.Stdout = os.Stderr // package testing says there that all is well
	prepare()
	// Only package testing starts virtual time.
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "Oracle", F: s.answerAll}}, nil, nil)
}

// prepare readies what all cases share, outside virtual time.
func prepare() {
	klog.SetLogger(logr.Discard())
	log.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil // they slow down frequent errors, by a clock that all cases share
	// The first signal.Notify starts a goroutine of the runtime, which must not start in virtual time.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2)
	metrics.Register()
}

type server struct {
	release  Release
	requests *json.Decoder
	replies  *json.Encoder
}

// answerAll answers case after case.
func (s *server) answerAll(t *testing.T) {
	for {
		first := &oracle.Request{}
		switch err := s.requests.Decode(first); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			t.Fatalf("reading a request: %v", err)
		case first.Begin == nil:
			t.Fatalf("a request is about no case: %+v", first)
		}
		synctest.Test(t, func(t *testing.T) {
			if err := s.answerCase(first); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// answerCase answers the requests about one case.
func (s *server) answerCase(first *oracle.Request) error {
	forget, err := setGates(first.Begin.Gates)
	defer forget()
	var running *scheduler
	if err == nil {
		running, err = start(first.Begin, s.release)
	}
	if err != nil {
		return s.reply(&oracle.Reply{At: time.Now().UnixNano(), Refused: err.Error()})
	}
	defer running.stop()
	running.version = first.Version
	if err := s.reply(running.reply()); err != nil {
		return err
	}
	for {
		next := &oracle.Request{}
		if err := s.requests.Decode(next); err != nil {
			return fmt.Errorf("reading a request in a case: %w", err)
		}
		if next.End {
			return s.reply(&oracle.Reply{At: time.Now().UnixNano()})
		}
		reply, err := running.answer(next)
		if err != nil {
			return err
		}
		if err := s.reply(reply); err != nil {
			return err
		}
	}
}

func (s *server) reply(r *oracle.Reply) error {
	if err := s.replies.Encode(r); err != nil {
		return fmt.Errorf("replying: %w", err)
	}
	return nil
}

// answer lets time pass until a request's, does what it asks for, and waits until all goroutines do.
func (s *scheduler) answer(r *oracle.Request) (*oracle.Reply, error) {
	s.version = max(s.version, r.Version)
	s.sched.SchedulingQueue.PendingPods() // the race detector does not know that virtual time orders accesses; a lock does
	time.Sleep(time.Until(time.Unix(0, r.At)))
	synctest.Wait()
	if r.Change != nil {
		if err := s.apply(r.Change); err != nil {
			return nil, err
		}
		synctest.Wait()
	}
	if r.Decide {
		s.decide()
	}
	return s.reply(), nil
}
