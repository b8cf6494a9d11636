package live_test

import (
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// listeningLogger keeps what a replica logs.
type listeningLogger chan map[string]any

func (l listeningLogger) logger() klog.Logger { return logr.New(&listener{to: l}) }

// listener is a sink that keeps structured lines instead of writing them.
type listener struct{ to listeningLogger }

func (*listener) Init(logr.RuntimeInfo)                {}
func (*listener) Enabled(int) bool                     { return true }
func (l *listener) Error(_ error, m string, kv ...any) { l.Info(0, m, kv...) }
func (l *listener) WithValues(...any) logr.LogSink     { return l }
func (l *listener) WithName(string) logr.LogSink       { return l }

func (l *listener) Info(_ int, message string, kv ...any) {
	line := map[string]any{"": message}
	for i := 0; i+1 < len(kv); i += 2 {
		line[fmt.Sprint(kv[i])] = kv[i+1]
	}
	select {
	case l.to <- line:
	default: // what comes after so much is not looked at
	}
}

// drifts are what lists were reported to show, in words.
func (l listeningLogger) drifts() map[string]bool {
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
