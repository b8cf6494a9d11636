package assist

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The bounds of answers. A token of JSON is about three bytes.
const (
	defaultBudget = 4000
	//orrery:limit assistants; the budget of an answer, in tokens; an error
	maxBudget     = 25_000
	minBudget     = 300
	bytesPerToken = 3
	//orrery:limit assistants; a text of an answer, in characters; cut off
	maxString = 4000
)

// details are the fields that say least to a reader, in the order in which they are left out.
var details = []string{
	"pluginResults", "kept", "inputsByKind", "configuration", "preemptionEvidence", "scores", "decisionsByVerdict", "stillPending",
	"pendingOverTime", "overTime", "typicalPods", "domains", "heldBy", "nearest", "members", "attachments", "evidence", "facts", "results",
}

// kept are the fields that stay as long as anything does.
var kept = []string{"apiVersion", "kind", "trace", "at", "pod", "node", "verdict", "summary", "state", "worse", "same"}

// cut returns a document in at most so many bytes, and the paths of what was left out. Lists lose their ends, details go before what was asked
// for, and the summary stays.
func cut(document any, size int) (any, []string) {
	c := cutter{lost: map[string]int{}}
	fits := func() bool { return sizeOf(document)+c.size() <= size }
	for _, most := range []int{100, 30} {
		if !fits() {
			document = c.shorten(document, "", most)
		}
	}
	for _, name := range details {
		if !fits() {
			document = c.drop(document, "", name)
		}
	}
	for _, most := range []int{10, 5, 3, 1} {
		if !fits() {
			document = c.shorten(document, "", most)
		}
	}
	for !fits() && c.dropLargest(document) {
	}
	if !fits() {
		document = c.bare(document, size/2)
	}
	return document, c.names()
}

// cutter counts what is left out, by path: items of lists, or fields.
type cutter struct{ lost map[string]int }

// size is about how much room the names of what is left out take.
func (c *cutter) size() int {
	n := 0
	for path := range c.lost {
		n += len(path) + 30
	}
	return n
}

func (c *cutter) names() []string {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(c.lost)) {
		all = append(all, fmt.Sprintf("%s (%d)", path, c.lost[path]))
	}
	if len(all) > maxItems {
		all = append(all[:maxItems:maxItems], fmt.Sprintf("and %d more paths", len(all)-maxItems))
	}
	return all
}

// shorten keeps the first items of each list.
func (c *cutter) shorten(v any, path string, most int) any {
	switch v := v.(type) {
	case []any:
		if more := len(v) - most; more > 0 {
			c.lost[path+"[]"] += more
			v = v[:most:most]
		}
		for i := range v {
			v[i] = c.shorten(v[i], path+"[]", most)
		}
		return v
	case map[string]any:
		for name, part := range v {
			v[name] = c.shorten(part, join(path, name), most)
		}
	}
	return v
}

// drop leaves a field out wherever it is.
func (c *cutter) drop(v any, path, field string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = c.drop(v[i], path+"[]", field)
		}
	case map[string]any:
		if _, has := v[field]; has && !slices.Contains(kept, field) {
			delete(v, field)
			c.lost[join(path, field)]++
		}
		for name, part := range v {
			v[name] = c.drop(part, join(path, name), field)
		}
	}
	return v
}

// dropLargest leaves out the largest field at the top, and reports whether there was one.
func (c *cutter) dropLargest(v any) bool {
	fields, is := v.(map[string]any)
	if !is {
		return false
	}
	largest, most := "", 0
	for name := range sorted(fields) {
		if n := sizeOf(fields[name]); n > most && !slices.Contains(kept, name) {
			largest, most = name, n
		}
	}
	delete(fields, largest)
	c.lost[largest]++
	if largest == "" {
		delete(c.lost, "")
	}
	return largest != ""
}

// bare is the document with its texts cut off.
func (c *cutter) bare(v any, size int) any {
	fields, is := v.(map[string]any)
	if !is {
		return map[string]any{}
	}
	for name, part := range fields {
		text, is := part.(string)
		switch most := max(size/len(kept), 20); {
		case !is:
			delete(fields, name)
			c.lost[name]++
		case len(text) > most:
			fields[name] = strings.ToValidUTF8(text[:most], "") + "…"
			c.lost[name+" (its end)"]++
		}
	}
	return fields
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func sizeOf(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return 0 // it came from JSON
	}
	return len(text)
}
