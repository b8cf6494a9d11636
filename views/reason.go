package views

import (
	"strings"

	"orrery/themes"
	"orrery/views/draw"
)

// shortReasons are short forms of kube-scheduler's messages.
var shortReasons = [...]struct{ sentence, brief string }{
	{"node(s) didn't match pod topology spread constraints", "topology spread"},
	{"node(s) had untolerated taint", "untolerated taints"},
	{"node(s) were unschedulable", "cordoned"},
	{"node(s) didn't match Pod's node affinity", "node affinity/selector"},
	{"node(s) didn't match pod affinity rules", "pod affinity"},
	{"node(s) didn't match pod anti-affinity rules", "pod anti-affinity"},
	{"node(s) didn't satisfy existing pods anti-affinity rules", "others' anti-affinity"},
	{"node(s) didn't have free ports", "host ports taken"},
	{"node(s) had volume node affinity conflict", "volume's node affinity"},
	{"node(s) exceed max volume count", "too many volumes"},
	{"node(s) had no available volume zone", "volume's zone"},
	{"node(s) didn't find available persistent volumes to bind", "no volume to bind"},
	{"node(s) did not have enough free storage", "too little free storage"},
	{"waiting for scheduling gates: ", "gates: "},
	{"waiting for minCount pods from a gang to appear in scheduling queue", "gang: too few pods"},
	{"rejected due to timeout after waiting 5m0s at plugin GangScheduling", "gang timed out"},
	{"cannot allocate all claims", "no devices for its claims"},
	{"resourceclaim not available on the node", "its devices are elsewhere"},
	{"could not find ResourceClaim", "no ResourceClaim"},
	{"invalid resource pools were encountered", "invalid resource pools"},
	{"timed out trying to allocate devices", "device allocation timed out"},
}

// drawReason draws the reason for a rejection, after the number of nodes if there is one: in the scheduler's words if
// they fit, else shortened.
func drawReason(row draw.Area, x, w int, s themes.Style, text string) {
	if draw.Width(text) <= w {
		row.Fit(x, 0, w, s, text)
		return
	}
	end := x + w
	if number, rest, found := strings.Cut(text, " "); found && strings.Trim(number, "0123456789,") == "" {
		x, text = row.Fit(x, 0, w, s, number)+1, rest
	}
	row.Fit(x, 0, end-x, s, briefReason(text))
}

// briefReason shortens a reason without its number of nodes.
func briefReason(text string) string {
	for _, b := range shortReasons {
		if rest, found := strings.CutPrefix(text, b.sentence); found {
			if strings.HasSuffix(b.brief, " ") {
				return b.brief + rest
			}
			return b.brief
		}
	}
	return strings.TrimPrefix(text, "node(s) ")
}
