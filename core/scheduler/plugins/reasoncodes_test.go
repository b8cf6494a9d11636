package plugins_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/scheduler/plugins/gangscheduling"
	"orrery/core/scheduler/plugins/interpodaffinity"
	"orrery/core/scheduler/plugins/nodeaffinity"
	"orrery/core/scheduler/plugins/nodedeclaredfeatures"
	"orrery/core/scheduler/plugins/nodename"
	"orrery/core/scheduler/plugins/nodeports"
	"orrery/core/scheduler/plugins/noderesources"
	"orrery/core/scheduler/plugins/nodeunschedulable"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/plugins/podtopologyspread"
	"orrery/core/scheduler/plugins/schedulinggates"
	"orrery/core/scheduler/plugins/tainttoleration"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/plugins/volumerestrictions"
	"orrery/core/scheduler/plugins/volumezone"
)

var update = flag.Bool("update", false, "write the table of reason codes into docs/scripts.md")

// reasonCodes are the codes of each plugin that explains itself.
var reasonCodes = map[string][]framework.ReasonCode{
	dynamicresources.Name: dynamicresources.ReasonCodes, gangscheduling.Name: gangscheduling.ReasonCodes, schedulinggates.Name: schedulinggates.ReasonCodes,
	interpodaffinity.Name: interpodaffinity.ReasonCodes, nodeaffinity.Name: nodeaffinity.ReasonCodes, nodename.Name: nodename.ReasonCodes,
	nodedeclaredfeatures.Name: nodedeclaredfeatures.ReasonCodes, nodeports.Name: nodeports.ReasonCodes, noderesources.Name: noderesources.ReasonCodes, nodeunschedulable.Name: nodeunschedulable.ReasonCodes,
	nodevolumelimits.Name: nodevolumelimits.ReasonCodes, podtopologyspread.Name: podtopologyspread.ReasonCodes,
	tainttoleration.Name: tainttoleration.ReasonCodes, volumebinding.Name: volumebinding.ReasonCodes,
	volumerestrictions.Name: volumerestrictions.ReasonCodes, volumezone.Name: volumezone.ReasonCodes,
}

// TestReasonCodes_StandInDocs compares the table in docs/scripts.md with the codes; -update writes it.
func TestReasonCodes_StandInDocs(t *testing.T) {
	const page, heading = "../../../docs/scripts.md", "## Reason codes\n"
	var rows []string
	for plugin, codes := range reasonCodes {
		for _, c := range codes {
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | `%s` |", c.Code, plugin, c.Means, strings.Join(c.Fields, "`, `")))
		}
	}
	slices.Sort(rows)
	for i := 1; i < len(rows); i++ {
		if before, _, _ := strings.Cut(rows[i-1], " | "); strings.HasPrefix(rows[i], before+" ") {
			t.Errorf("two plugins have the code %s", before)
		}
	}
	table := "| code | plugin | what keeps the pod from the nodes | parts of the evidence |\n| --- | --- | --- | --- |\n" + strings.Join(rows, "\n") + "\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(text), heading)
	start := strings.Index(after, "| code |")
	end := strings.Index(after[max(start, 0):], "\n\n")
	if !found || start < 0 || end < 0 {
		t.Fatalf("%s has no table below %q", page, heading)
	}
	written := after[start : start+end+1]
	if written == table {
		return
	}
	if !*update {
		t.Fatalf("%s has another table of reason codes: -update writes\n%s", page, table)
	}
	if err := os.WriteFile(page, []byte(before+heading+after[:start]+table+after[start+end+1:]), 0o644); err != nil {
		t.Fatal(err)
	}
}
