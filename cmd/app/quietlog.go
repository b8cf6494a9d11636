package app

import (
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// newQuietLogger returns klog's logger and a function that silences it, at any time and from any goroutine:
// klog.SetLogger must not be called while others log.
func newQuietLogger() (logger logr.Logger, silence func()) {
	var quiet atomic.Bool
	return logr.New(quietSink{klog.Background().GetSink(), &quiet}), func() { quiet.Store(true) }
}

type quietSink struct {
	logr.LogSink
	quiet *atomic.Bool
}

// Init does nothing: klog has initialized its sink, which all loggers of the process share and read.
func (quietSink) Init(logr.RuntimeInfo) {}

func (s quietSink) Enabled(level int) bool { return !s.quiet.Load() && s.LogSink.Enabled(level) }

func (s quietSink) Error(err error, message string, values ...any) {
	if !s.quiet.Load() {
		s.LogSink.Error(err, message, values...)
	}
}

func (s quietSink) WithName(name string) logr.LogSink {
	return quietSink{s.LogSink.WithName(name), s.quiet}
}

func (s quietSink) WithValues(values ...any) logr.LogSink {
	return quietSink{s.LogSink.WithValues(values...), s.quiet}
}
