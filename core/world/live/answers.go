package live

import (
	"context"
	"errors"
	"net"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// answered is what an answer says of a call.
type answered uint8

const (
	done    answered = iota // it was carried out
	refused                 // it was not, and another try will not change that
	notYet                  // it was not, but another try may be
	unknown                 // it may or may not have been carried out
)

// read says what an answer means.
func read(err error) answered {
	switch {
	case err == nil:
		return done
	case apierrors.IsTooManyRequests(err), utilnet.IsConnectionRefused(err), noSuchHost(err):
		return notYet
	// Service unavailable is what a proxy says, too, whose connection broke after the request had been passed on.
	case apierrors.IsServiceUnavailable(err), apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsInternalError(err), apierrors.IsUnexpectedServerError(err):
		return unknown
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		if code := status.Status().Code; code >= 500 || code == 0 {
			return unknown
		}
		return refused
	}
	return unknown // the connection broke, or nobody answered in time
}

func noSuchHost(err error) bool {
	dns := (*net.DNSError)(nil)
	return errors.As(err, &dns)
}

const (
	pauseFirst = 50 * time.Millisecond
	pauseMost  = 5 * time.Second
)

// pauseAfter is for how long to wait after so many failures: twice as long each time, or as long as the API server asks.
func pauseAfter(tries int, err error) time.Duration {
	pause := pauseMost
	if tries < 8 {
		pause = min(pauseMost, pauseFirst<<max(tries-1, 0))
	}
	if seconds, asked := apierrors.SuggestsClientDelay(err); asked {
		pause = max(pause, time.Duration(seconds)*time.Second)
	}
	return pause
}

// outcomeOf is how a call to the API server ended.
func outcomeOf(err error) world.Outcome {
	if err == nil {
		return world.Outcome{}
	}
	return world.Outcome{Code: fwk.Error, Reason: apierrors.ReasonForError(err), Message: err.Error()}
}

// stopping tells whether a call failed because everything is being stopped.
func stopping(ctx context.Context) bool { return ctx.Err() != nil }
