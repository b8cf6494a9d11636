package serving

import (
	"fmt"
	"strconv"

	"k8s.io/component-base/logs"
)

// MaxVerbosity is the highest level of the log. From the next one on client-go logs what requests and responses contain, and so all that
// pods keep to themselves.
//
//orrery:limit readers; the level of the log; /debug/flags/v refuses more, and flags are lowered to it
const MaxVerbosity = 7

// setVerbosity sets the level of the log for /debug/flags/v.
func setVerbosity(value string) (string, error) {
	if level, err := strconv.ParseUint(value, 10, 32); err == nil && level > MaxVerbosity {
		return "", fmt.Errorf("verbosity %d: the highest is %d, as above it the log has what pods keep secret", level, MaxVerbosity)
	}
	return logs.GlogSetter(value)
}
