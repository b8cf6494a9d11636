package logs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// serve is a client of an API server that answers requests as a function does, and the requests that were made.
func serve(t *testing.T, answer func(http.ResponseWriter, *http.Request)) (kubernetes.Interface, *[]string) {
	t.Helper()
	var made []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		made = append(made, r.Method+" "+r.URL.Path+"?"+r.URL.RawQuery)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	return client, &made
}

// refuse answers with a status.
func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(&metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message})
}

func pod() *v1.Pod {
	p := mk.Pod("web").Namespace("shop").Obj()
	p.Spec.InitContainers = []v1.Container{{Name: "setup"}}
	p.Spec.Containers = []v1.Container{{Name: "app"}, {Name: "proxy"}}
	return p
}

// TestOf_EveryContainer reads the logs of all containers in their order; one that has not started says so.
func TestOf_EveryContainer(t *testing.T) {
	client, made := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("container") {
		case "setup":
			fmt.Fprint(w, "done\r\n")
		case "app":
			fmt.Fprint(w, "one\n\ttwo \x1b[31mred\x1b]0;title\x07\n\xff\xfe\n")
		default:
			refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "container \"proxy\" is waiting to start: \x1b[31mPodInitializing")
		}
	})
	got, err := Of(t.Context(), client, pod())
	if err != nil {
		t.Fatal(err)
	}
	want := []Log{
		{Container: "setup", Lines: []string{"done"}},
		{Container: "app", Lines: []string{"one", `    two \x1b[31mred\x1b]0;title\x07`, `\xff\xfe`}},
		{Container: "proxy", Problem: `container "proxy" is waiting to start: \x1b[31mPodInitializing`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, request := range *made {
		if !strings.HasPrefix(request, "GET /api/v1/namespaces/shop/pods/web/log?") || !strings.Contains(request, "limitBytes=262144&tailLines=300") {
			t.Errorf("asked for %s", request)
		}
	}
}

// TestOf_IsBounded reads no more of an answer than was asked for, and shows no more lines, containers and characters.
func TestOf_IsBounded(t *testing.T) {
	client, made := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("container") == "long" {
			fmt.Fprint(w, strings.Repeat("é", maxBytes))
			return
		}
		for i := range 5000 {
			fmt.Fprintf(w, "line %d\n", i)
		}
	})
	p := pod()
	p.Spec.InitContainers, p.Spec.Containers = nil, []v1.Container{{Name: "long"}}
	for i := range 50 {
		p.Spec.Containers = append(p.Spec.Containers, v1.Container{Name: fmt.Sprintf("c%d", i)})
	}
	got, err := Of(t.Context(), client, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != maxContainers || len(*made) != maxContainers || len(got[1].Lines) != maxLines || got[1].Lines[maxLines-1] != "line 4999" {
		t.Errorf("%d logs of %d requests, the second with %d lines", len(got), len(*made), len(got[1].Lines))
	}
	if n := utf8.RuneCountInString(got[0].Lines[0]); n != maxLine {
		t.Errorf("a long line has %d characters", n)
	}
}

// TestOf_NamesTheMissingRule: who may not read logs or events is told which rule it takes.
func TestOf_NamesTheMissingRule(t *testing.T) {
	client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		resource, verb := "pods/log", "get"
		if strings.HasSuffix(r.URL.Path, "/events") {
			resource, verb = "events", "list"
		}
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, fmt.Sprintf(`x is forbidden: User "jane" cannot %s resource %q`, verb, resource))
	})
	_, err := Of(t.Context(), client, pod())
	if err == nil || !strings.Contains(err.Error(), `user jane may not get pods/log; this needs the RBAC rule {apiGroups: [""], resources: ["pods/log"], verbs: ["get"]} in namespace shop`) {
		t.Errorf("logs: %v", err)
	}
	_, err = EventsOf(t.Context(), client, world.PodRef{Namespace: "shop", Name: "web"})
	if err == nil || !strings.Contains(err.Error(), `user jane may not list events; this needs the RBAC rule {apiGroups: [""], resources: ["events"], verbs: ["list"]} in namespace shop`) {
		t.Errorf("events: %v", err)
	}
}

// TestEventsOf_NewestFirst asks for the events of the pod alone, and reads the old and the new form of an event.
func TestEventsOf_NewestFirst(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	client, made := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(&v1.EventList{
			TypeMeta: metav1.TypeMeta{Kind: "EventList", APIVersion: "v1"},
			Items: []v1.Event{
				{LastTimestamp: metav1.NewTime(at), Count: 3, Type: "Warning", Reason: "FailedScheduling", Source: v1.EventSource{Component: "default-scheduler"}, Message: "0/3 nodes\nare available\x1b[2J"},
				{EventTime: metav1.NewMicroTime(at.Add(time.Minute)), Type: "Normal", Reason: "Scheduled", ReportingController: "orrery", Message: "assigned"},
				{EventTime: metav1.NewMicroTime(at), Series: &v1.EventSeries{Count: 9, LastObservedTime: metav1.NewMicroTime(at.Add(time.Hour))}, Type: "Warning", Reason: "BackOff", ReportingController: "kubelet"},
			},
		})
	})
	got, err := EventsOf(t.Context(), client, world.PodRef{Namespace: "shop", Name: "web"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Event{
		{At: at.Add(time.Hour), Count: 9, Warning: true, Reason: "BackOff", From: "kubelet"},
		{At: at.Add(time.Minute), Count: 1, Reason: "Scheduled", From: "orrery", Message: "assigned"},
		{At: at, Count: 3, Warning: true, Reason: "FailedScheduling", From: "default-scheduler", Message: `0/3 nodes are available\x1b[2J`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if request := (*made)[0]; !strings.HasPrefix(request, "GET /api/v1/namespaces/shop/events?fieldSelector=involvedObject.kind%3DPod%2CinvolvedObject.name%3Dweb%2CinvolvedObject.namespace%3Dshop&limit=500") {
		t.Errorf("asked for %s", request)
	}
}

// FuzzLastLines reads a log: no control character of it is shown, and no more lines than that.
//
//orrery:reads core/operator/logs
func FuzzLastLines(f *testing.F) {
	for _, text := range []string{"", "a\nb\n", "\x1b[31m\r\n\t\x00\n", "\xff\u202e\u009c", strings.Repeat("x\n", 1000)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := lastLines(text)
		if len(lines) > maxLines {
			t.Errorf("%d lines", len(lines))
		}
		for _, line := range lines {
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) || !utf8.ValidString(line) {
				t.Errorf("shown as %q", line)
			}
		}
	})
}
