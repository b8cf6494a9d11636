package difftest

import (
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// SynctestStart is the time at which virtual time begins.
var SynctestStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// CheckInSynctest is Check with a bubble of testing/synctest, and so with its own virtual time, for each case.
func CheckInSynctest(t *testing.T, defaultCases int, compare func(*Source)) int {
	t.Helper()
	return Check(t, defaultCases, func(source *Source) {
		var difference any // a panic does not leave a bubble
		synctest.Test(t, func(*testing.T) {
			defer func() { difference = recover() }()
			compare(source)
		})
		if difference != nil {
			panic(difference)
		}
	})
}

// PrepareSynctest is for TestMain: it prepares upstream's goroutines for testing/synctest and discards upstream's logs.
func PrepareSynctest() {
	klog.SetLogger(logr.Discard())
	log.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil // they slow down frequent errors, by a clock that all bubbles share
	// The first signal.Notify starts a goroutine of the runtime, which must not start inside a synctest bubble.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2)
}
