package trim

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// trimGroupConditions keeps the messages in which a scheduler reports why a group is not placed, and cuts long ones. Those of others are free text.
func trimGroupConditions(conditions []metav1.Condition) []metav1.Condition {
	return mapSlice(conditions, func(c *metav1.Condition) metav1.Condition {
		kept := *c
		switch {
		case !world.IsGroupCondition(c.Type):
			kept.Message = ""
		case len(c.Message) > maxMessage:
			kept.Message = strings.ToValidUTF8(c.Message[:maxMessage], "")
		}
		return kept
	})
}
