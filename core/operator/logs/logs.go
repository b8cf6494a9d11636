package logs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"orrery/core/operator/actions"
	"orrery/core/safe/printable"
)

// The bounds of what is read of a pod's logs. The API server is asked for no more, and no more of an answer is read.
const (
	//orrery:limit screen; lines of a container's log that are shown; the older ones are left out
	maxLines = 300
	//orrery:limit screen; bytes of a container's log that are read; the rest is left out
	maxBytes = 256 << 10
	//orrery:limit screen; containers whose logs are shown; the others are left out
	maxContainers = 8
	//orrery:limit screen; characters of a line of a log or of an event's message; cut off, with an ellipsis
	maxLine = 2000
)

// Log is the end of a container's log, the oldest line first.
type Log struct {
	Container string
	Lines     []string
	// Problem is why there is no log, such as that the container has not started; empty if there is one.
	Problem string
}

// Of reads the ends of the logs of a pod's containers, those that run before the others first.
func Of(ctx context.Context, client kubernetes.Interface, pod *v1.Pod) ([]Log, error) {
	var names []string
	for i := range pod.Spec.InitContainers {
		names = append(names, pod.Spec.InitContainers[i].Name)
	}
	for i := range pod.Spec.Containers {
		names = append(names, pod.Spec.Containers[i].Name)
	}
	var logs []Log
	for _, name := range names[:min(len(names), maxContainers)] {
		log, err := ofContainer(ctx, client, pod, name)
		if err != nil {
			return nil, fmt.Errorf("reading the log of container %s: %w", printable.Line(name, 80), err)
		}
		logs = append(logs, log)
	}
	return logs, nil
}

// ofContainer reads the end of a container's log. That it has none yet is no error: others of the pod may have one.
func ofContainer(ctx context.Context, client kubernetes.Interface, pod *v1.Pod, name string) (Log, error) {
	lines, size := int64(maxLines), int64(maxBytes)
	log := Log{Container: printable.Line(name, 80)}
	body, err := client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &v1.PodLogOptions{Container: name, TailLines: &lines, LimitBytes: &size}).Stream(ctx)
	if err != nil {
		err = actions.ExplainForbidden(err, actions.Rule{Resource: "pods/log", Verb: "get", Namespace: pod.Namespace})
		if !isAbout(err) {
			return log, err
		}
		log.Problem = printable.Line(err.Error(), maxLine)
		return log, nil
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxBytes))
	if err != nil {
		return log, err
	}
	log.Lines = lastLines(text)
	return log, nil
}

// lastLines are the last lines of a text, as visible characters.
func lastLines(text []byte) []string {
	text = bytes.TrimRight(text, "\r\n")
	if len(text) == 0 {
		return nil
	}
	parts := bytes.Split(text, []byte("\n"))
	parts = parts[max(len(parts)-maxLines, 0):]
	lines := make([]string, len(parts))
	for i, part := range parts {
		lines[i] = visible(string(bytes.TrimSuffix(part, []byte("\r"))))
	}
	return lines
}

// visible is a line as it may be shown. Tabs, which logs are full of, become spaces.
func visible(line string) string {
	return printable.Line(strings.ReplaceAll(line, "\t", "    "), maxLine)
}
