package live

import (
	"cmp"
	"context"
	"errors"
	"net"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// callResult classifies the response to a call.
type callResult uint8

const (
	callDone    callResult = iota // it succeeded
	callRefused                   // it failed, and a retry will fail, too
	callNotMade                   // it was not carried out; a retry may be
	callUnknown                   // it may or may not have been carried out
)

// resultOf classifies a response.
func resultOf(err error) callResult {
	switch {
	case err == nil:
		return callDone
	case apierrors.IsTooManyRequests(err), utilnet.IsConnectionRefused(err), noSuchHost(err), errors.Is(err, ErrNotLeading):
		return callNotMade
	// A proxy also returns 503 if its connection broke after it had passed the request on.
	case apierrors.IsServiceUnavailable(err), apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsInternalError(err), apierrors.IsUnexpectedServerError(err):
		return callUnknown
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		if code := status.Status().Code; code >= 500 || code == 0 {
			return callUnknown
		}
		return callRefused
	}
	return callUnknown // the connection broke, or there was no response in time
}

func noSuchHost(err error) bool {
	dns := (*net.DNSError)(nil)
	return errors.As(err, &dns)
}

const (
	retryDelayFirst = 50 * time.Millisecond
	retryDelayMax   = 5 * time.Second
)

// retryDelay is the delay after a number of failures: exponential, or as the API server suggests.
func retryDelay(tries int, err error) time.Duration {
	pause := retryDelayMax
	if tries < 8 {
		pause = min(retryDelayMax, retryDelayFirst<<max(tries-1, 0))
	}
	if seconds, asked := apierrors.SuggestsClientDelay(err); asked {
		pause = max(pause, time.Duration(seconds)*time.Second)
	}
	return pause
}

// outcomeOf is the outcome of a call.
func outcomeOf(err error) world.Outcome {
	if err == nil {
		return world.Outcome{}
	}
	reason := apierrors.ReasonForError(err)
	return world.Outcome{Code: fwk.Error, Reason: reason, Message: cmp.Or(err.Error(), "the API server refuses it and says no more than "+string(reason))}
}

// stopping reports whether a call failed because the cluster is being stopped.
func stopping(ctx context.Context) bool { return ctx.Err() != nil }
