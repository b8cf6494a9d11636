package cache

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	v1 "k8s.io/api/core/v1"
)

// CorruptionError says that the outside world contradicts the cache about where a bound pod is, which no later event
// can put right. kube-scheduler ends its process here and starts over from a fresh list; the cache leaves its state
// as it was and lets the caller decide.
type CorruptionError struct {
	What       string // the operation: "update" or "remove"
	Pod        string // namespace/name
	CachedNode string // where the cache has the pod
	GivenNode  string // where the caller says it is
}

func (e *CorruptionError) Error() string {
	return fmt.Sprintf("%s pod %s: it is on node %s in the cache but on %s in the event; "+
		"the cache is corrupted, rebuild it from a fresh list of pods and nodes",
		e.What, shown(e.Pod), shown(e.CachedNode), shown(e.GivenNode))
}

// podKey is what the cache knows a pod by: its UID, so that a pod of the same name created later is another pod.
func podKey(pod *v1.Pod) (string, error) {
	if pod == nil || pod.UID == "" {
		return "", errors.New("cannot get cache key for pod with empty UID")
	}
	return string(pod.UID), nil
}

// podName is namespace/name, without the slash where there is no namespace.
func podName(pod *v1.Pod) string {
	if pod.Namespace == "" {
		return pod.Name
	}
	return pod.Namespace + "/" + pod.Name
}

// described is how error texts name a pod: UID(namespace/name).
func described(pod *v1.Pod) string { return shown(string(pod.UID)) + "(" + shown(podName(pod)) + ")" }

// shown is a name as it may be printed. What the API server lets in comes out unchanged; anything that could drive a
// terminal is quoted, and what is longer than any real name is cut.
func shown(name string) string {
	const longest = 512
	if len(name) > longest {
		name = name[:longest] + "..."
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}
