package app

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"orrery/core/safe/panics"
	"orrery/core/safe/printable"
	modelled "orrery/core/scheduler/release"
	"orrery/core/world/live"
)

// versionPeriod is the time between two questions for the version of an API server that does not answer yet, upgradePeriod that after an
// answer.
const (
	versionPeriod = 10 * time.Second
	upgradePeriod = 5 * time.Minute
)

// onServerVersion logs it if the API server is of another release than the decisions, as soon as it answers: scheduling does not wait for
// that. It logs it again when the API server is upgraded, which comes before its scheduler. Stop ends the questions.
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
			compared := ""
			for ctx.Err() == nil {
				period := versionPeriod
				if logServerVersion(ctx, client, decides, &compared, logger) {
					period = upgradePeriod
				}
				select {
				case <-ctx.Done():
				case <-time.After(period):
				}
			}
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

// logServerVersion asks the API server for its version and logs a difference, unless it was compared before. It reports false if there is no
// answer yet.
func logServerVersion(ctx context.Context, client live.Client, decides modelled.Release, compared *string, logger klog.Logger) (answered bool) {
	info, err := askVersion(ctx, client)
	unreadable := apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsNotFound(err)
	if err != nil && !unreadable {
		return false
	}
	if unreadable {
		info.GitVersion = "one that cannot be read"
	}
	if info.GitVersion == *compared {
		return true
	}
	*compared = info.GitVersion
	if unreadable {
		logger.Info("The version of the API server cannot be read, so its release is not compared", "decidesAs", decides.String(), "err", printable.Line(err.Error(), 200))
		return true
	}
	if nearest, differs := decides.DiffersFrom(info); differs {
		logger.Info("Decisions follow another release of Kubernetes than the API server's", "decidesAs", decides.String(),
			"server", printable.Line(info.GitVersion, 40), "nearest", "--emulated-version="+nearest.String())
	}
	return true
}
