package live_test

import (
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"orrery/core/world"
	"orrery/core/world/live"
)

// recordingLogger records a replica's structured log lines.
type recordingLogger chan map[string]any

func (l recordingLogger) logger() klog.Logger { return logr.New(&recordingSink{to: l}) }

// recordingSink is a log sink that records lines instead of writing them.
type recordingSink struct{ to recordingLogger }

func (*recordingSink) Init(logr.RuntimeInfo)                {}
func (*recordingSink) Enabled(level int) bool               { return level == 0 } // lines of other levels would fill the channel
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

// drifts returns the logged differences between lists and watches, by kind. Several lists may share them.
func (l recordingLogger) drifts() map[world.Kind]live.Drift {
	found := map[world.Kind]live.Drift{}
	for {
		select {
		case line := <-l:
			if kind, drift := line["kind"].(world.Kind); drift {
				sum := found[kind]
				sum.Gone += line["gone"].(int)
				sum.New += line["new"].(int)
				found[kind] = sum
			}
		default:
			return found
		}
	}
}
