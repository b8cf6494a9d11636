package tui

import (
	"strings"

	"orrery/views"
	"orrery/views/draw"
)

// filterHelp are the forms of a filter, for the help and the reference.
var filterHelp = []draw.Hint{
	{Key: "web", Action: "rows with the word in the name, the namespace, the state or the reason"},
	{Key: "cart-0[0-3]", Action: "rows that match the regular expression"},
	{Key: "!web", Action: "rows without the word"},
	{Key: "-n shop", Action: "pods of the namespace"},
	{Key: "-g train", Action: "pods of a gang, or of all gangs of a workload; -g default/train/workers is one of them"},
	{Key: "-l app=web", Action: "rows whose labels match"},
	{Key: "~crt7", Action: "names with these letters in this order"},
}

// helpOf is the whole help of a pane: what it shows, its keys, and after these what can be typed everywhere.
func helpOf(id views.PaneID, readOnly string) []views.KeyGroup {
	var all []views.KeyGroup
	if p := pane(id); p.Help != "" {
		all = append(all, views.KeyGroup{Name: p.Title, About: p.Help})
	}
	all = append(all, helpGroups(id, readOnly)...)
	all = append(all, views.KeyGroup{Name: "Filters, after /", Keys: filterHelp})
	typed, panes := views.KeyGroup{Name: "Commands"}, views.KeyGroup{Name: "Panes by name"}
	for i := range commands {
		switch w := &commands[i]; {
		case !w.pane && !w.key:
			typed.Keys = append(typed.Keys, draw.Hint{Key: ":" + w.name, Action: w.help})
		case w.pane && views.PaneOf(views.PaneID(w.name)) != nil: // not its other names
			panes.Keys = append(panes.Keys, draw.Hint{Key: ":" + w.name, Action: w.help})
		}
	}
	return append(all, typed, panes)
}

// inCode sets what is typed within a text, a filter with its argument, as code for the reference.
func inCode(text string) string {
	return strings.ReplaceAll(text, "-g default/train/workers", "`-g default/train/workers`")
}
