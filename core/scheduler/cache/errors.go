package cache

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	v1 "k8s.io/api/core/v1"
)

// CorruptionError reports that an event contradicts the cache about a bound pod's node, which no later event can
// correct. kube-scheduler exits here and restarts from a fresh list; the cache leaves its state as it was and lets the
// caller decide.
type CorruptionError struct {
	Operation  string // the operation: "update" or "remove"
	Pod        string // namespace/name
	CachedNode string // where the cache has the pod
	GivenNode  string // where the event has it
}

func (e *CorruptionError) Error() string {
	return fmt.Sprintf("%s pod %s: it is on node %s in the cache but on %s in the event; "+
		"the cache is corrupted, rebuild it from a fresh list of pods and nodes",
		e.Operation, printableName(e.Pod), printableName(e.CachedNode), printableName(e.GivenNode))
}

// podKey returns the UID, the cache's key of a pod, so that a later pod of the same name is another pod.
func podKey(pod *v1.Pod) (string, error) {
	if pod == nil || pod.UID == "" {
		return "", errors.New("cannot get cache key for pod with empty UID")
	}
	return string(pod.UID), nil
}

// podName is namespace/name, or the name alone without a namespace.
func podName(pod *v1.Pod) string {
	if pod.Namespace == "" {
		return pod.Name
	}
	return pod.Namespace + "/" + pod.Name
}

// describePod formats a pod for error texts: UID(namespace/name).
func describePod(pod *v1.Pod) string {
	return printableName(string(pod.UID)) + "(" + printableName(podName(pod)) + ")"
}

// printableName formats a name for printing. Names that the API server accepts are unchanged; others that could contain
// terminal control sequences are quoted, and names longer than any valid one are cut.
func printableName(name string) string {
	const longest = 512
	if len(name) > longest {
		name = name[:longest] + "..."
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}
