package drive_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// openCluster is a synced cluster without objects; its events come from a channel.
type openCluster struct {
	failed chan error
	events chan world.Event
	synced chan struct{}
	did    []world.Effect
}

func newOpenCluster() *openCluster {
	c := &openCluster{events: make(chan world.Event, 8), synced: make(chan struct{})}
	close(c.synced)
	return c
}

func (c *openCluster) Do(effect world.Effect)     { c.did = append(c.did, effect) }
func (c *openCluster) Now() time.Time             { return time.Now() }
func (c *openCluster) Poll() (world.Input, bool)  { return world.Input{}, false }
func (c *openCluster) Events() <-chan world.Event { return c.events }
func (c *openCluster) Stamp(event world.Event) world.Input {
	return world.Input{At: c.Now(), Event: event}
}
func (c *openCluster) Synced() <-chan struct{} { return c.synced }
func (c *openCluster) Idle() bool              { return len(c.events) == 0 }
func (c *openCluster) Kinds() []world.Kind     { return nil }
func (c *openCluster) Failed() <-chan error    { return c.failed }
func (c *openCluster) List(context.Context, world.Kind) ([]world.Object, error) {
	return nil, nil
}

// contradictory is an engine that answers every change with an error.
type contradictory struct {
	*engine.Engine
	err error
}

func (c contradictory) Apply(in world.Input) error {
	if _, ok := in.Event.(world.Changed); ok {
		return c.err
	}
	return c.Engine.Apply(in)
}

func TestRealTime_EndsOnlyOnCorruptedCache(t *testing.T) {
	refused := errors.New("a pod without a name")
	corrupted := &cache.CorruptionError{Operation: "update", Pod: "shop/web-0", CachedNode: "node-1", GivenNode: "node-2"}
	for _, row := range []struct {
		name string
		err  error
		ends bool
	}{
		{"corrupted cache", corrupted, true},
		{"refused input", refused, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, err := engine.New(engine.Options{Start: time.Now()})
				if err != nil {
					t.Fatal(err)
				}
				w := newOpenCluster()
				r := drive.NewRealTime(e, w)
				r.Around, r.Logger = contradictory{e, row.err}, logr.Discard()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				w.events <- world.Changed{Op: world.Added, Object: mk.Pod("web-0").Namespace("shop").Obj()}
				began := time.Now()
				err = r.Run(ctx)
				if !row.ends {
					if err != nil || time.Since(began) != time.Minute {
						t.Errorf("Run ended after %v with %v; it should go on until its context ends", time.Since(began), err)
					}
					return
				}
				if got := (*cache.CorruptionError)(nil); !errors.As(err, &got) || !strings.Contains(err.Error(), "restart") {
					t.Errorf("Run returned %v; it should name the contradiction and ask for a restart", err)
				}
				if time.Since(began) != 0 {
					t.Errorf("Run went on for %v", time.Since(began))
				}
			})
		})
	}
}
