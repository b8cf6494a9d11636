package app

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/klog/v2"

	"orrery/core/process/replica"
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

// onUSR2 compares and saves the replica's state on every SIGUSR2, until stop is called. Stop waits for the end of the
// last one.
func onUSR2(ctx context.Context, r *replica.Replica) (stop func()) {
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
func logFlight(ctx context.Context, r *replica.Replica) {
	file, err := saveFlight(func(to io.Writer) error { return r.SaveFlightRecorder(ctx, to) })
	if err != nil {
		klog.ErrorS(err, "Saving the flight recorder")
		return
	}
	klog.InfoS("Saved the flight recorder", "file", file)
}

// saveFlight saves a trace in the temporary directory and returns the name of the file.
func saveFlight(write func(to io.Writer) error) (string, error) {
	file, err := files.CreateTemp("orrery-"+time.Now().UTC().Format("20060102T150405")+"-", ".orrery")
	if err != nil {
		return "", err
	}
	defer file.Close()
	if err := write(file); err != nil {
		return "", err
	}
	if err := file.Commit(); err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// compareCache logs how the replica's state differs from the API server's.
func compareCache(ctx context.Context, r *replica.Replica) {
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
