package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"k8s.io/klog/v2"

	"orrery/core/safe/files"
	"orrery/core/safe/panics"
)

// signalContext returns a context that ends with the first SIGTERM or SIGINT. The second signal exits.
func signalContext() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	told := make(chan os.Signal, 2)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-told
		cancel()
		<-told
		files.RemoveUnfinished()
		os.Exit(1)
	}()
	return ctx, func() {
		signal.Stop(told)
		cancel()
	}
}

// savedOnUSR2 is what runs beside or as a scheduler.
type savedOnUSR2 interface {
	SaveFlightRecorder(ctx context.Context, to io.Writer) error
	Compare(ctx context.Context) ([]string, error)
}

// onUSR2 compares and saves the process's state on every SIGUSR2, until stop is called. Stop waits for the end of the
// last one.
func onUSR2(ctx context.Context, r savedOnUSR2) (stop func()) {
	asked := make(chan os.Signal, 1)
	notifyUSR2(asked)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-asked:
				err := panics.Call("answering SIGUSR2", func() {
					logFlight(ctx, r)
					compareCache(ctx, r)
				})
				if err != nil {
					klog.ErrorS(err, "SIGUSR2 was not answered")
				}
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		cancel()
		<-done
	}
}

// logFlight saves the flight recorder and logs where.
func logFlight(ctx context.Context, r savedOnUSR2) {
	file, err := saveFlight(func(to io.Writer) error { return r.SaveFlightRecorder(ctx, to) })
	if err != nil {
		klog.ErrorS(err, "Saving the flight recorder")
		return
	}
	klog.InfoS("Saved the flight recorder", "file", file)
}

// saveFlight saves a trace in the temporary directory and returns the name of the file. The oldest of those that were saved there goes
// where they are too many.
func saveFlight(write func(to io.Writer) error) (string, error) {
	if err := removeFlights(maxFlights - 1); err != nil {
		return "", err
	}
	file, err := files.CreateTemp(flightPrefix+time.Now().UTC().Format(flightTime)+"-", flightSuffix)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if err := write(&boundedWriter{to: file, left: maxFlightBytes}); err != nil {
		return "", err
	}
	if err := file.Commit(); err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// Bounds of what SIGUSR2 saves: who may send the signal often must not fill the disk, from which the kubelet then evicts the pod.
const (
	//orrery:limit scheduler; flight recorders that SIGUSR2 has saved in the directory for temporary files; the oldest is deleted
	maxFlights = 3
	//orrery:limit scheduler; a flight recorder that SIGUSR2 saves, in bytes; it is not saved
	maxFlightBytes = 64 << 20
)

const flightPrefix, flightTime, flightSuffix = "orrery-", "20060102T150405", ".orrery"

// flightName matches the names of saved flight recorders, which sort as their times do.
var flightName = regexp.MustCompile(`^orrery-\d{8}T\d{6}-[A-Z2-7]{26}\.orrery$`)

// removeFlights deletes saved flight recorders, the oldest first, until so many are left. Other users' are not counted, as they cannot be deleted.
func removeFlights(left int) error {
	entries, err := os.ReadDir(os.TempDir()) // in the order of names
	if err != nil {
		return fmt.Errorf("looking for saved flight recorders: %w", err)
	}
	var saved []string
	for _, e := range entries {
		if e.Type().IsRegular() && flightName.MatchString(e.Name()) {
			saved = append(saved, filepath.Join(os.TempDir(), e.Name()))
		}
	}
	for i := 0; i < len(saved)-left; i++ {
		switch err := os.Remove(saved[i]); {
		case err == nil:
			klog.InfoS("Deleted an old flight recorder, as there were too many", "file", saved[i], "max", maxFlights)
		case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
			left++
		default:
			return fmt.Errorf("deleting an old flight recorder: %w", err)
		}
	}
	return nil
}

// boundedWriter fails rather than writing more than so many bytes.
type boundedWriter struct {
	to   io.Writer
	left int64
}

func (w *boundedWriter) Write(p []byte) (int, error) {
	if int64(len(p)) > w.left {
		return 0, fmt.Errorf("it takes more than %s: record with --record-dir", humanize.IBytes(maxFlightBytes))
	}
	n, err := w.to.Write(p)
	w.left -= int64(n)
	return n, err
}

// compareCache logs how the process's state differs from the API server's.
func compareCache(ctx context.Context, r savedOnUSR2) {
	differences, err := r.Compare(ctx)
	if err != nil {
		klog.ErrorS(err, "Comparing the cache with the API server")
		return
	}
	for _, difference := range differences {
		klog.InfoS("Cache mismatch", "what", difference)
	}
	klog.InfoS("Compared the cache with the API server", "differences", len(differences))
}
