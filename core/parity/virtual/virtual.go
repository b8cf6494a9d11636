// Package virtual makes a test's process ready for goroutines of upstream's that run in the virtual time of testing/synctest.
package virtual

import (
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// Began is when virtual time begins.
var Began = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Prepare is for TestMain. Nothing is logged from then on.
func Prepare() {
	klog.SetLogger(logr.Discard())
	log.SetOutput(io.Discard)
	// The runtime starts a goroutine with the first signal asked for. It must not be born in virtual time.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2)
}
