package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/klog/v2"

	"orrery/core/replica"
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
		os.Exit(1)
	}()
	return ctx, func() {
		signal.Stop(told)
		cancel()
	}
}

// onUSR2 compares and saves the replica's state on every SIGUSR2, until stop is called.
func onUSR2(ctx context.Context, r *replica.Replica) (stop func()) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR2)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-asked:
				saveFlight(ctx, r)
				compareCache(ctx, r)
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		cancel()
	}
}

// saveFlight saves the flight recorder in the temporary directory.
func saveFlight(ctx context.Context, r *replica.Replica) {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("orrery-%s-%d.orrery", time.Now().UTC().Format("20060102T150405"), os.Getpid()))
	file, err := os.Create(name)
	if err != nil {
		klog.ErrorS(err, "Saving the flight recorder")
		return
	}
	err = r.SaveFlightRecorder(ctx, file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		klog.ErrorS(err, "Saving the flight recorder", "file", name)
		return
	}
	klog.InfoS("Saved the flight recorder", "file", name)
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
