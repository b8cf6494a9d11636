package logs

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"orrery/core/operator/actions"
	"orrery/core/safe/printable"
	"orrery/core/world"
)

// maxEvents bounds the events that are asked for.
//
//orrery:limit screen; events of a pod that are shown; the others are left out
const maxEvents = 500

// Event is something that was said of a pod.
type Event struct {
	// At is when it happened, the last time if that was Count times.
	At                    time.Time
	Count                 int
	Warning               bool
	Reason, From, Message string
}

// EventsOf reads the events about a pod, the newest first.
func EventsOf(ctx context.Context, client kubernetes.Interface, pod world.PodRef) ([]Event, error) {
	about := fields.Set{"involvedObject.kind": "Pod", "involvedObject.namespace": pod.Namespace, "involvedObject.name": pod.Name}
	list, err := client.CoreV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{FieldSelector: about.String(), Limit: maxEvents})
	if err != nil {
		return nil, actions.ExplainForbidden(err, actions.Rule{Resource: "events", Verb: "list", Namespace: pod.Namespace})
	}
	events := make([]Event, 0, min(len(list.Items), maxEvents))
	for i := range list.Items[:min(len(list.Items), maxEvents)] {
		events = append(events, eventOf(&list.Items[i]))
	}
	slices.SortStableFunc(events, func(a, b Event) int { return b.At.Compare(a.At) })
	return events, nil
}

func eventOf(e *v1.Event) Event {
	of := Event{At: e.LastTimestamp.Time, Count: max(int(e.Count), 1), Warning: e.Type == v1.EventTypeWarning}
	if of.At.IsZero() {
		of.At = e.EventTime.Time
	}
	if s := e.Series; s != nil {
		of.At, of.Count = s.LastObservedTime.Time, max(int(s.Count), 1)
	}
	from := e.Source.Component
	if from == "" {
		from = e.ReportingController
	}
	of.Reason, of.From = printable.Line(e.Reason, 80), printable.Line(from, 80)
	of.Message = visible(strings.ReplaceAll(strings.TrimSpace(e.Message), "\n", " "))
	return of
}

// isAbout reports whether an error is an answer about the container, such as that it waits to start, and not about the request.
func isAbout(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code == http.StatusBadRequest
}
