package change_test

import (
	"strings"
	"testing"

	"orrery/core/answers/change"
)

func TestNext(t *testing.T) {
	for words, want := range map[string]string{
		"":                          "cordon uncordon drain add delete requests priority scale profile class capacity taint untaint ungate tolerate select unselect spread label move mincount upgrade free count relax unconstrain",
		"drain":                     "NODE",
		"drain n1":                  "",
		"add":                       "N pv nodes device",
		"add 2":                     "nodes",
		"add nodes":                 "N",
		"add nodes 2":               "NAME=VALUE...",
		"add 1 node like":           "NODE",
		"add pv 1Gi":                "of in on",
		"add pv 1Gi of":             "CLASS",
		"add pv 1Gi of fast":        "in on",
		"add pv 1Gi of fast on":     "NODE",
		"delete":                    "node pod pvc gang",
		"delete pvc":                "CLAIM",
		"requests shop/web-0":       "cpu=AMOUNT",
		"requests shop/web-0 cpu=1": "memory=AMOUNT",
		"profile web":               "NAME",
		"select web":                "KEY=VALUE",
		"select web a=b":            "replacing",
		"select web a=b replacing":  "KEY",
		"spread web zone":           "FIELD=VALUE",
		"label":                     "NODE",
		"move shop/web-0":           "NODE",
		"untaint n1":                "KEY[:EFFECT]",
		"taint":                     "NODE device",
		"taint device":              "DEVICE",
		"add device":                "like",
		"add device like p/d":       "on",
		"class":                     "CLAIM claim",
		"class claim":               "RESOURCECLAIM",
		"class claim a/b":           "DEVICECLASS",
		"relax claim a/b":           "of",
		"unconstrain claim a/b":     "ATTRIBUTE",
		"free":                      "claim",
		"nonsense":                  "",
		"capacity fast 1Gi in":      "ZONE",
	} {
		if got := strings.Join(change.Next(strings.Fields(words)), " "); got != want {
			t.Errorf("after %q comes %q, want %q", words, got, want)
		}
	}
}
