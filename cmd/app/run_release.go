package app

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"orrery/core/safe/panics"
	"orrery/core/safe/printable"
	modelled "orrery/core/scheduler/release"
	"orrery/core/world/live"
)

// versionPeriod is the time between two questions for the version of an API server that does not answer yet.
const versionPeriod = 10 * time.Second

// onServerVersion logs it if the API server is of another release than the decisions, as soon as it answers: scheduling does not wait for
// that. Stop ends the questions.
func onServerVersion(ctx context.Context, k *rest.Config, decides modelled.Release, logger klog.Logger) (stop func(), err error) {
	client, err := live.NewClient(k)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := panics.Call("comparing the release with the API server's", func() {
			_ = wait.PollUntilContextCancel(ctx, versionPeriod, true, func(ctx context.Context) (answered bool, _ error) {
				return logServerVersion(ctx, client, decides, logger), nil
			})
		})
		if err != nil {
			logger.Error(err, "The release was not compared with the API server's")
		}
	}()
	return func() {
		cancel()
		<-done
	}, nil
}

// logServerVersion asks the API server for its version and logs a difference. It reports false if another attempt may be answered.
func logServerVersion(ctx context.Context, client live.Client, decides modelled.Release, logger klog.Logger) (answered bool) {
	info, err := askVersion(ctx, client)
	switch {
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsNotFound(err):
		logger.Info("The version of the API server cannot be read, so its release is not compared", "decidesAs", decides.String(), "err", printable.Line(err.Error(), 200))
		return true
	case err != nil:
		return false
	}
	if nearest, differs := decides.DiffersFrom(info); differs {
		logger.Info("Decisions follow another release of Kubernetes than the API server's", "decidesAs", decides.String(),
			"server", printable.Line(info.GitVersion, 40), "nearest", "--emulated-version="+nearest.String())
	}
	return true
}
