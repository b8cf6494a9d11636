package replica

import (
	"context"
	"errors"
	"testing"

	"github.com/go-logr/logr/funcr"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
)

// longCycle is an observer in which the first decision waits until it may end.
type longCycle struct {
	drive.Observer
	begun, mayEnd, ended chan struct{}
}

func (c longCycle) Stepped(d *engine.Decision) {
	if d == nil {
		return
	}
	select {
	case <-c.begun:
		return
	default:
	}
	close(c.begun)
	<-c.mayEnd
	close(c.ended)
}

// Until Run returns, the engine is the driver's: a console reads it from then on.
func TestRun_EndsAfterTheCycleUnderWay(t *testing.T) {
	server, kubeConfig := newStub(t)
	o := options()
	o.KubeConfig, o.Logger = kubeConfig, funcr.New(server.log, funcr.Options{})
	cycle := longCycle{drive.Observers{}, make(chan struct{}), make(chan struct{}), make(chan struct{})}
	o.Instruments.Observer = func(*engine.Engine) drive.Observer { return cycle }
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.Run(context.Background()) }()
	select {
	case <-cycle.begun:
	case err := <-ended:
		t.Fatalf("Run returned %v before a decision", err)
	}
	r.term.Load().end() // as when another holder is read
	go close(cycle.mayEnd)
	if err := <-ended; !errors.Is(err, ErrLostLease) {
		t.Errorf("Run returned %v", err)
	}
	select {
	case <-cycle.ended:
	default:
		t.Error("Run returned in the middle of a scheduling cycle")
	}
}
