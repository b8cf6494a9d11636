package difftest

import (
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// SynctestStart is the time at which virtual time begins.
var SynctestStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// PrepareSynctest is for TestMain: it prepares upstream's goroutines for testing/synctest and discards upstream's logs.
func PrepareSynctest() {
	klog.SetLogger(logr.Discard())
	log.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil // they slow down frequent errors, by a clock that all bubbles share
	// The first signal.Notify starts a goroutine of the runtime, which must not start inside a synctest bubble.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2)
}
