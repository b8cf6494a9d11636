package replica

import (
	"context"

	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
)

// Subscribe begins to hand the scheduler's records, and its state before them, to a subscriber. It fails at the end of the context, and
// when the scheduler has stopped or has not started.
func (r *Replica) Subscribe(ctx context.Context, o play.SubscriptionOptions) (s *play.Subscriber, err error) {
	err = r.driver.Inspect(ctx, func(*engine.Engine) { s = r.feed.Subscribe(o) })
	return s, err
}

// Unsubscribe ends a subscription.
func (r *Replica) Unsubscribe(ctx context.Context, s *play.Subscriber) error {
	return r.driver.Inspect(ctx, func(*engine.Engine) { r.feed.Unsubscribe(s) })
}
