package benchattach

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"orrery/core/trace/stream"
)

// elsewhere dials from another host than Prometheus and others that mean well.
var elsewhere = net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}

// hostile are clients that do the stream harm, each until it is told to stop.
var hostile = map[string]func(s *scheduler, stop <-chan struct{}){
	"half-open": func(s *scheduler, stop <-chan struct{}) {
		if c, err := elsewhere.Dial("tcp", s.address()); err == nil {
			defer c.Close()
			<-stop
		}
	},
	"garbage": func(s *scheduler, stop <-chan struct{}) {
		s.again(stop, func() {
			if c, err := elsewhere.Dial("tcp", s.address()); err == nil {
				defer c.Close()
				_, _ = c.Write([]byte(strings.Repeat("\x00garbage\xff", 1000)))
			}
		})
	},
	"garbage inside TLS": func(s *scheduler, stop <-chan struct{}) {
		s.again(stop, func() {
			if c, err := tls.DialWithDialer(&elsewhere, "tcp", s.address(), &tls.Config{InsecureSkipVerify: true}); err == nil {
				defer c.Close()
				_, _ = c.Write([]byte(strings.Repeat("\x00garbage\xff", 1000)))
			}
		})
	},
	"slow": func(s *scheduler, stop <-chan struct{}) {
		s.again(stop, func() {
			r, err := s.ask(http.DefaultClient.Timeout, admin, nil)
			if err != nil {
				return
			}
			defer r.Body.Close()
			for one := make([]byte, 1); ; time.Sleep(time.Second) {
				if _, err := r.Body.Read(one); err != nil {
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	},
	"wrong token": func(s *scheduler, stop <-chan struct{}) { s.refused(stop, "guessed", nil, http.StatusUnauthorized) },
	"no token":    func(s *scheduler, stop <-chan struct{}) { s.refused(stop, "", nil, http.StatusForbidden) },
	"no rights":   func(s *scheduler, stop <-chan struct{}) { s.refused(stop, noRights, nil, http.StatusForbidden) },
	"giant headers": func(s *scheduler, stop <-chan struct{}) {
		s.refused(stop, admin, http.Header{"X-Giant": {strings.Repeat("x", 8<<20)}}, http.StatusRequestHeaderFieldsTooLarge)
	},
}

func (s *scheduler) address() string { return strings.TrimPrefix(s.url, "https://") }

// again calls f until it is told to stop, ten times a second at most.
func (s *scheduler) again(stop <-chan struct{}, f func()) {
	for {
		f()
		select {
		case <-time.After(100 * time.Millisecond):
		case <-stop:
			return
		}
	}
}

// ask asks for the stream.
func (s *scheduler) ask(timeout time.Duration, token string, headers http.Header) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodGet, s.url+stream.Path, nil)
	if err != nil {
		return nil, err
	}
	for name, values := range headers {
		r.Header[name] = values
	}
	c := http.Client{Timeout: timeout, Transport: withToken(token, &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true, DialContext: elsewhere.DialContext,
	})}
	return c.Do(r)
}

// refused asks for the stream, and fails the benchmark if the answer is another than the one that it should be. A connection that is
// closed without one is no harm.
func (s *scheduler) refused(stop <-chan struct{}, token string, headers http.Header, want int) {
	s.again(stop, func() {
		r, err := s.ask(30*time.Second, token, headers)
		if err != nil {
			return
		}
		defer r.Body.Close()
		answers.Add(1)
		if r.StatusCode != want {
			s.b.Errorf("a reader with the token %q: %d, want %d", token, r.StatusCode, want)
		}
		_, _ = io.Copy(io.Discard, r.Body)
	})
}

var answers atomic.Int64

// BenchmarkHostile_Readers measures at what rate pods are bound without readers, and with 200 hostile readers.
func BenchmarkHostile_Readers(b *testing.B) {
	const readers, length = 200, 30 * time.Second
	for b.Loop() {
		s := schedule(b)
		s.work()
		alone, before := s.window(length)
		stop, all := make(chan struct{}), sync.WaitGroup{}
		answers.Store(0)
		for i := 0; i < readers; {
			for _, harm := range hostile {
				if i++; i <= readers {
					all.Go(func() { harm(s, stop) })
				}
			}
		}
		time.Sleep(5 * time.Second)
		beside, during := s.window(length)
		attached := s.metric("orrery_stream_readers")
		close(stop)
		all.Wait()
		if answers.Load() == 0 {
			b.Error("none was refused")
		}
		if attached > stream.DefaultMaxReaders {
			b.Errorf("%v readers are attached", attached)
		}
		s.allBound()
		b.ReportMetric(before, "pods/s-alone")
		b.ReportMetric(during, "pods/s-beside-them")
		b.ReportMetric(float64(alone.all().Microseconds()), "µs/pod-alone")
		b.ReportMetric(float64(beside.all().Microseconds()), "µs/pod-beside-them")
		b.ReportMetric(float64(answers.Load()), "refusals")
	}
}

// allBound waits until nothing is left to bind of what is there.
func (s *scheduler) allBound() {
	s.b.Helper()
	last := fmt.Sprintf("pod-%07d", s.load.created.Load()-1)
	s.until(last+" is bound", func() bool {
		pod := s.api.get(last)
		return pod == nil || pod.Spec.NodeName != ""
	})
}

// BenchmarkHostile_Disk measures at what rate pods are bound while the disk of the recording is well, full, and read-only, and
// checks that the recording stops and goes on with it.
func BenchmarkHostile_Disk(b *testing.B) {
	const length, size = 20 * time.Second, 192 << 20
	for b.Loop() {
		disk := b.TempDir()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, fmt.Sprint("size=", size)); err != nil {
			b.Skipf("a disk of its own cannot be mounted: %v", err)
		}
		b.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
		s := schedule(b, "--record-dir="+filepath.Join(disk, "recording"), "--record-max-size=128Mi")
		s.work()
		up := func(want float64) {
			b.Helper()
			s.until(fmt.Sprintf("orrery_recording_up is %v", want), func() bool { return s.metric("orrery_recording_up") == want })
		}
		up(1)
		_, well := s.window(length)

		other, err := os.Create(filepath.Join(disk, "other"))
		if err != nil {
			b.Fatal(err)
		}
		fillUp(other)
		up(0)
		_, full := s.window(length)
		if err := os.Remove(other.Name()); err != nil {
			b.Fatal(err)
		}
		up(1)

		if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			b.Logf("it cannot be made read-only while a segment is open, so its directory goes: %v", err)
			if err := os.RemoveAll(filepath.Join(disk, "recording")); err != nil {
				b.Fatal(err)
			}
		}
		_, failing := s.window(length)
		_ = syscall.Mount("", disk, "", syscall.MS_REMOUNT, "")
		up(1)
		s.allBound()
		b.ReportMetric(well, "pods/s-well")
		b.ReportMetric(full, "pods/s-full")
		b.ReportMetric(failing, "pods/s-failing")
		b.ReportMetric(s.metric("orrery_recording_outages_total"), "outages")
	}
}

// fillUp writes to a file until its disk is full, and again for some time, since segments that are removed make room.
func fillUp(f *os.File) {
	defer f.Close()
	block := make([]byte, 1<<16)
	for until := time.Now().Add(15 * time.Second); time.Now().Before(until); {
		if _, err := f.Write(block); err != nil {
			time.Sleep(50 * time.Millisecond)
		}
	}
}
