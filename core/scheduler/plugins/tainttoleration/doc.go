// Package tainttoleration keeps pods off nodes whose taints they do not tolerate.
//
// Taints with the effect NoSchedule or NoExecute are the Filter's: one that is not tolerated rejects the node. Taints
// with the effect PreferNoSchedule are the Score's: the more of them are not tolerated, the lower the node scores.
//
// A toleration matches a taint when its effect is empty or the same, its key is empty or the same, and its operator
// agrees: Exists always, Equal (or none) on equal values, Gt and Lt when the taint's value is a whole number above or
// below the toleration's. Gt and Lt need the gate TaintTolerationComparisonOperators, and match nothing without it
// or with a value that is no decimal number.
package tainttoleration
