package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"orrery/core/operator/actions"
	"orrery/views/draw"
)

// readingConsole is a read-only console on a cluster of which logs and events can be read, and the requests that were made.
func readingConsole(t *testing.T, log string, w, h int) (*session, *fake.Clientset) {
	t.Helper()
	api := fake.NewClientset(&v1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "one.1"}, InvolvedObject: v1.ObjectReference{Kind: "Pod", Namespace: "default", Name: "one"},
		LastTimestamp: metav1.NewTime(start), Count: 4, Type: v1.EventTypeWarning, Reason: "FailedScheduling", Source: v1.EventSource{Component: "default-scheduler"}, Message: "0/3 nodes are available: " + log,
	})
	api.PrependReactor("get", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return a.GetSubresource() == "log", &runtime.Unknown{Raw: []byte(log)}, nil
	})
	s := watch(t, &cluster{staticSource: manyPods(t, 1, "one", "two"), executor: actions.Executor{Client: api}, readOnly: "read-only"}, w, h)
	return s, api
}

// TestPodLogs_AreRead opens the logs and the events of the selected pod, at three sizes, from a console that may change nothing.
func TestPodLogs_AreRead(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {220, 60}} {
		log := "starting\nlistening on :8080\n" + strings.Repeat("a long line of a request with its header ", 5) + "\nready"
		s, api := readingConsole(t, log, size[0], size[1])
		s.keys("2", "ctrl+l").shows("logs of default/one", "── ", "listening on :8080", "ready")
		golden(t, fmt.Sprintf("logs/logs-%dx%d.txt", size[0], size[1]), s.plain())
		if !strings.Contains(s.selected(), "ready") {
			t.Errorf("the cursor is on %q, want the last line", s.selected())
		}
		s.keys("y")
		if !strings.Contains(s.screen.copyText(), log) {
			t.Errorf("copied is %q, want the log as it is", s.screen.copyText())
		}
		s.keys("/").typeText("listening").keys("enter").shows("1 of 1").keys("esc", "esc", "ctrl+e").shows("events of default/one", "≥ 2026-03-02 09:00:00 FailedScheduling ×4 (default-scheduler)")
		golden(t, fmt.Sprintf("logs/events-%dx%d.txt", size[0], size[1]), s.plain())
		for _, a := range api.Actions() {
			if a.GetVerb() != "get" && a.GetVerb() != "list" {
				t.Errorf("a request to %s", a.GetVerb())
			}
		}
	}
}

// TestPodLogs_HostileText shows what a container writes as characters, in lines of the screen's width.
func TestPodLogs_HostileText(t *testing.T) {
	for _, text := range []string{"\x1b[2J\x1b]0;owned\x07", "\xff\xfe\u202e\u009c", strings.Repeat("漢字", 3000), strings.Repeat("e\u0301", 3000), "\r\r\r\t\t", strings.Repeat("x\n", 5000)} {
		s, _ := readingConsole(t, text, 80, 24)
		s.keys("2", "ctrl+l")
		checkSize(t, s)
		for _, line := range s.screen.top().page.lines {
			if draw.Width(line) > 80 || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' }) {
				t.Fatalf("%.20q has the line %q", text, line)
			}
		}
	}
}

// TestPodLogs_Refused says what is wrong, and that there is nothing to read in a recording.
func TestPodLogs_Refused(t *testing.T) {
	s, api := readingConsole(t, "", 140, 40)
	api.PrependReactor("list", "events", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("no way \x1b[31m")
	})
	s.keys("2", "ctrl+e").shows("events of default/one", `✗ no way \x1b[31m`).keys("esc")
	api.PrependReactor("list", "events", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "", errors.New(`User "jane" cannot list resource "events"`))
	})
	s.keys("ctrl+e").shows("✗ forbidden: user jane may not list events", "rules:", `resources: ["events"]`).keys("esc")
	s.keys("ctrl+l").shows("it has written nothing").keys("esc")
	s.keys("9", "ctrl+l").shows("ctrl+l: not here; it works in panes with pods")
	recording := watch(t, builtIn(t, "morning-rush"), 100, 30)
	recording.keys("$", "7", "ctrl+l").shows("logs and events are read from a cluster, and this is none")
}
