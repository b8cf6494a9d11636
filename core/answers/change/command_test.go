package change_test

import (
	"strings"
	"testing"
	"time"

	"orrery/core/answers/change"
)

func TestCommandAtRecord(t *testing.T) {
	changes, err := change.ParseAll([]string{"drain", "node-1"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := change.CommandAtRecord("t", 412, changes), "orrery whatif --trace t --at @412 drain node-1"; got != want {
		t.Errorf("it is %s\nwant  %s", got, want)
	}
}

func TestCommand_QuotesForAShell(t *testing.T) {
	for _, tt := range []struct {
		name, trace string
		since       time.Duration
		words, want string
	}{
		{"a built-in trace", "morning-rush", 58 * time.Second, "drain node-1", "orrery whatif --trace morning-rush --at +58s drain node-1"},
		{"a moment is told to the nanosecond", "a.orrery", 1234567891, "cordon n", "orrery whatif --trace a.orrery --at +1.234567891s cordon n"},
		{"a file with a blank and a quote", "it's mine.orrery", 0, "uncordon n", `orrery whatif --trace 'it'\''s mine.orrery' --at +0s uncordon n`},
		{"several changes", "t", time.Minute, "cordon a, add 2 nodes like b", "orrery whatif --trace t --at +1m0s cordon a, add 2 nodes like b"},
		{"what a shell would take for its own", "t", 0, "taint n a=b:NoSchedule, ungate $(reboot)", "orrery whatif --trace t --at +0s taint n a=b:NoSchedule, ungate '$(reboot)'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changes, err := change.ParseAll(strings.Fields(tt.words))
			if err != nil {
				t.Fatal(err)
			}
			if got := change.Command(tt.trace, tt.since, changes); got != tt.want {
				t.Errorf("it is %s\nwant  %s", got, tt.want)
			}
		})
	}
}

func TestIn_NamesANamespaceWhereThereIsNone(t *testing.T) {
	for words, want := range map[string]string{
		"scale web 3":                     "scale shop/web 3",
		"scale other/web 3":               "scale other/web 3",
		"delete pod web-0":                "delete pod shop/web-0",
		"delete pvc data":                 "delete pvc shop/data",
		"class data fast":                 "class shop/data fast",
		"free claim gpu":                  "free claim shop/gpu",
		"tolerate claim gpu a:NoSchedule": "tolerate claim shop/gpu a:NoSchedule",
		"label n1 a=b":                    "label n1 a=b",
		"drain n1":                        "drain n1",
		"add 2 nodes like n1":             "add 2 nodes like n1",
		"capacity fast 1Gi":               "capacity fast 1Gi",
	} {
		c, err := change.Parse(strings.Fields(words))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.In("shop").String(); got != want {
			t.Errorf("%s in shop is %s, want %s", words, got, want)
		}
	}
}
