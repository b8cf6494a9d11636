package spans

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"orrery/core/world"
)

// traceID is the ID of a pod's trace: its UID, where that is a UUID, and a hash of what names the pod elsewhere.
func traceID(pod world.PodRef) []byte {
	if id, err := hex.DecodeString(strings.ReplaceAll(string(pod.UID), "-", "")); err == nil && len(id) == 16 && !allZero(id) {
		return id
	}
	sum := sha256.Sum256([]byte("trace\x00" + pod.Namespace + "\x00" + pod.Name + "\x00" + string(pod.UID)))
	return sum[:16]
}

// spanID is the ID of a pod's span: 0 is the journey, others are its stages, and their steps from 1 on.
func spanID(trace []byte, stage, step int) []byte {
	sum := sha256.Sum256([]byte("span\x00" + string(trace) + "\x00" + strconv.Itoa(stage) + "\x00" + strconv.Itoa(step)))
	return sum[:8]
}

// allZero reports whether an ID is one that OpenTelemetry calls invalid.
func allZero(id []byte) bool {
	for _, b := range id {
		if b != 0 {
			return false
		}
	}
	return true
}
