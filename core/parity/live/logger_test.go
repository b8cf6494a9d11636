package live_test

import (
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// recordingLogger records a replica's structured log lines.
type recordingLogger chan map[string]any

func (l recordingLogger) logger() klog.Logger { return logr.New(&recordingSink{to: l}) }

// recordingSink is a log sink that records lines instead of writing them.
type recordingSink struct{ to recordingLogger }

func (*recordingSink) Init(logr.RuntimeInfo)                {}
func (*recordingSink) Enabled(int) bool                     { return true }
func (l *recordingSink) Error(_ error, m string, kv ...any) { l.Info(0, m, kv...) }
func (l *recordingSink) WithValues(...any) logr.LogSink     { return l }
func (l *recordingSink) WithName(string) logr.LogSink       { return l }

func (l *recordingSink) Info(_ int, message string, kv ...any) {
	line := map[string]any{"": message}
	for i := 0; i+1 < len(kv); i += 2 {
		line[fmt.Sprint(kv[i])] = kv[i+1]
	}
	select {
	case l.to <- line:
	default: // the channel is full; later lines are dropped
	}
}

// drifts returns the logged differences between lists and watches, as text.
func (l recordingLogger) drifts() map[string]bool {
	found := map[string]bool{}
	for {
		select {
		case line := <-l:
			if _, drift := line["gone"]; drift {
				found[fmt.Sprintf("%v gone=%v new=%v", line["kind"], line["gone"], line["new"])] = true
			}
		default:
			return found
		}
	}
}
