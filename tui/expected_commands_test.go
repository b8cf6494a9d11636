package tui

import (
	"slices"
	"testing"
	"time"

	"orrery/views"
)

// k9sLines are what people type in k9s, and what it does here.
var k9sLines = []struct {
	name  string
	lines []string // the first character is the key that opens the prompt, the rest is typed and entered
	pane  views.PaneID
	shows []string
	lacks string
}{
	{"nodes by their names", []string{":nodes"}, views.NodesPane, []string{"node-3", "Ready"}, ""},
	{"nodes by their short name", []string{":no"}, views.NodesPane, []string{"node-3"}, ""},
	{"nodes in the singular", []string{":node"}, views.NodesPane, []string{"node-3"}, ""},
	{"pods by their name", []string{":pods"}, views.PodsPane, []string{"default/web-02", "✓ bound"}, ""},
	{"pods by their short name", []string{":po"}, views.PodsPane, []string{"default/web-02"}, ""},
	{"pods in the singular", []string{":pod"}, views.PodsPane, []string{"default/web-02"}, ""},
	{"pods of a namespace", []string{":pods default"}, views.PodsPane, []string{"pods of namespace default", "web-02"}, ""},
	{"pods of a namespace without any", []string{":pods elsewhere", ":"}, views.PodsPane, []string{"no pods match /-n elsewhere/"}, "✓ bound"},
	{"pods with a filter", []string{":pods /web-02"}, views.PodsPane, []string{"/web-02", "1 of "}, "web-03"},
	{"nodes with a filter", []string{":nodes /node-3"}, views.NodesPane, []string{"1 of 9"}, "node-4"},
	{"pods with labels, as in kubectl", []string{":pods -l app=web"}, views.PodsPane, []string{"/-l app=web", "web-02"}, ""},
	{"pods with labels", []string{":pods app=nothing"}, views.PodsPane, []string{"no pods match /-l app=nothing/"}, ""},
	{"pods of a namespace, as in kubectl", []string{":pods -n elsewhere"}, views.PodsPane, []string{"no pods match /-n elsewhere/"}, ""},
	{"nodes with labels", []string{":nodes -l zone=nowhere"}, views.NodesPane, []string{"no nodes match /-l zone=nowhere/"}, ""},
	{"what has no list with labels", []string{":metrics -l a=b"}, views.Overview, []string{":metrics wants nothing after it"}, ""},
	{"nodes have no namespace", []string{":nodes default"}, views.Overview, []string{":nodes wants nothing after it"}, ""},
	{"spaces around a command", []string{":  pods  "}, views.PodsPane, []string{"default/web-02"}, ""},
	{"an empty command", []string{":"}, views.Overview, nil, "no command"},
	{"a namespace", []string{":ns default"}, views.Overview, []string{"pods of namespace default"}, ""},
	{"a namespace, in full", []string{":namespace default"}, views.Overview, []string{"pods of namespace default"}, ""},
	{"a namespace without pods", []string{":queue", ":ns elsewhere", ":"}, views.QueuePane, []string{"no pods match /-n elsewhere/", ":ns shows all"}, ""},
	{"all namespaces", []string{":ns default", ":ns all"}, views.Overview, []string{"pods of all namespaces"}, ""},
	{"all namespaces, without a name", []string{":ns default", ":ns"}, views.Overview, []string{"pods of all namespaces"}, ""},
	{"something that is no namespace", []string{":ns -l"}, views.Overview, []string{"pods of namespace -l"}, ""},
	{"a namespace and a filter", []string{":pods default", "/web-02"}, views.PodsPane, []string{"/-n default web-02", "1 of "}, ""},
	{"a filter", []string{":pods", "/WEB-02"}, views.PodsPane, []string{"1 of "}, "web-03"},
	{"an inverse filter", []string{":pods", "/!web-02"}, views.PodsPane, []string{"web-03"}, "default/web-02"},
	{"labels", []string{":pods", "/-l app=web"}, views.PodsPane, []string{"web-02"}, ""},
	{"a fuzzy filter", []string{":pods", "/~w02"}, views.PodsPane, []string{"1 of "}, "web-03"},
	{"a filter by a node", []string{":pods", "/node-3"}, views.PodsPane, []string{"node-3"}, "node-4"},
	{"a filter that matches nothing", []string{":pods", "/zzz"}, views.PodsPane, []string{"no pods match /zzz/ (of ", "esc clears"}, ""},
	{"a filter that does not parse", []string{":pods", "/["}, views.PodsPane, []string{"/[", "✗ "}, ""},
	{"a filter as a command", []string{":filter web-2"}, views.QueuePane, []string{"/web-2"}, ""},
	{"a filter command that does not parse", []string{":filter ["}, views.QueuePane, []string{":filter: "}, ""},
	{"a filter of what is no list", []string{":metrics", ":filter x"}, views.MetricsPane, []string{":filter: this pane has no list to filter"}, ""},
	{"draining is tried on a copy", []string{":drain node-3"}, views.Overview, []string{":whatif drain node-3 tries it on a copy"}, ""},
	{"draining nothing", []string{":drain"}, views.Overview, []string{"no node is selected"}, ""},
	{"a pod explained", []string{":explain web-20"}, views.ExplainPane, []string{"Explain"}, ""},
	{"a context of a recording", []string{":ctx prod"}, views.Overview, []string{":ctx: this is a recording"}, ""},
	{"a theme", []string{":theme light"}, views.Overview, nil, "there is no"},
	{"a misspelt command", []string{":podz"}, views.Overview, []string{":podz is no command; did you mean :pod"}, ""},
	{"an ambiguous prefix", []string{":p"}, views.Overview, []string{"ambiguous: :p", ", …"}, "is no command"},
	{"a prefix of two commands", []string{":evic"}, views.Overview, []string{"ambiguous: :evict, :evictions"}, "is no command"},
	{"a prefix of one command", []string{":metr"}, views.MetricsPane, []string{"Metrics"}, ""},
	{"a command in capitals", []string{":PODS"}, views.PodsPane, []string{"default/web-02"}, ""},
}

func TestCommandLine_AsInK9s(t *testing.T) {
	for _, tt := range k9sLines {
		t.Run(tt.name, func(t *testing.T) {
			s := atUnschedulable(t)
			for _, line := range tt.lines {
				s.keys(line[:1]).typeText(line[1:]).keys("enter")
			}
			if s.shows(tt.shows...); tt.lacks != "" {
				s.lacks(tt.lacks)
			}
			if got := s.screen.top().pane; got != tt.pane {
				t.Errorf("%q leads to %q, want %q", tt.lines, got, tt.pane)
			}
		})
	}
	for _, line := range []string{"q", "q!", "quit", "quit!"} {
		if s := atUnschedulable(t).keys(":").typeText(line).keys("enter"); !s.quit {
			t.Errorf(":%s does not quit", line)
		}
	}
}

// TestCommandLine_Completes types the start of a line and looks at what is offered, and what tab makes of it. Names may have
// dots, and a prefix may end in one.
func TestCommandLine_Completes(t *testing.T) {
	s := watch(t, manyPods(t, 1, "db.primary.0", "db.primary.1", "web.v1.2"), 120, 30)
	for _, tt := range []struct {
		typed, offered, tabbed string
	}{
		{"pod db.", "default/db.primary.0", "pod default/db.primary.0"},
		{"pod default/db.primary.", "default/db.primary.1", "pod default/db.primary.0"},
		{"pod db.primary.1", "default/db.primary.1", "pod default/db.primary.1"},
		{"explain web.v1.", "default/web.v1.2", "explain default/web.v1.2"},
		{"whatif delete pod db.primary.1", "default/db.primary.1", "whatif delete pod default/db.primary.1"},
		{"whatif profile default/web.v1.2 ", "default-scheduler", "whatif profile default/web.v1.2 default-scheduler"},
		{"ns d", "default", "ns default"},
		{"pods d", "default", "pods default"},
		{"po d", "default", "po default"},
		{"no", "nodes", "node "},
		{"theme hi", "high-contrast", "theme high-contrast"},
	} {
		s.keys(":").typeText(tt.typed).shows(tt.offered).keys("tab")
		if got := s.screen.prompt.input.Value(); got != tt.tabbed {
			t.Errorf("tab makes %q of %q, want %q", got, tt.typed, tt.tabbed)
		}
		s.keys("esc")
	}
	s.keys(":").typeText("pod zzz.").keys("tab")
	if got := s.screen.prompt.input.Value(); got != "pod zzz." {
		t.Errorf("tab makes %q of a name that nothing has", got)
	}
}

// Names of gangs are offered wherever one can be written.
func TestCommandLine_CompletesGangs(t *testing.T) {
	s := watch(t, recordingOf(t, "gangs", 330*time.Second), 140, 40)
	for _, tt := range []struct{ typed, offered, tabbed string }{
		{"gangs le", "ml/left/pods", "gangs ml/left/pods"},
		{"gangs ml/le", "ml/left/pods", "gangs ml/left/pods"},
		{"gangs /-g ml/le", "ml/left/pods", "gangs /-g ml/left/pods"},
		{"pods /unschedulable -g le", "ml/left/pods", "pods /unschedulable -g ml/left/pods"},
		{"filter -g le", "ml/left/pods", "filter -g ml/left/pods"},
		{"filter -n sh", "shop", "filter -n shop"},
		{"whatif delete gang le", "ml/left/pods", "whatif delete gang ml/left/pods"},
		{"whatif mincount ml/le", "ml/left/pods", "whatif mincount ml/left/pods"},
	} {
		s.keys(":").typeText(tt.typed).shows(tt.offered).keys("tab")
		if got := s.screen.prompt.input.Value(); got != tt.tabbed {
			t.Errorf("tab makes %q of %q, want %q", got, tt.typed, tt.tabbed)
		}
		s.keys("esc")
	}
	s.keys(":").typeText("gangs ml/left/pods").keys("enter").shows("/-g ml/left/pods", "1 of 9")
}

// TestCommandLine_WhileRowsMove types filters and commands while the recording plays: no letter is lost, and the list follows.
func TestCommandLine_WhileRowsMove(t *testing.T) {
	for _, pane := range []string{"decisions", "pods", "queue"} {
		s := atUnschedulable(t).keys(":").typeText(pane).keys("enter", "space", "/")
		for _, r := range "web-2" {
			s.typeText(string(r)).advance(s.loop.interval * 5)
			if s.screen.prompt == nil {
				t.Fatalf("in %s the prompt is gone after %q", pane, r)
			}
		}
		s.keys("enter").advance(s.loop.interval * 5)
		if got := s.screen.top().list.filter.String(); got != "web-2" {
			t.Errorf("in %s the filter is %q, want web-2", pane, got)
		}
		l := s.screen.list()
		if l.Total == s.screen.frame.Model.Filtered.Of || pane != "queue" && l.Total == 0 {
			t.Errorf("in %s %d of %d rows match", pane, l.Total, s.screen.frame.Model.Filtered.Of)
		}
		s.keys(":")
		for _, r := range "ns elsewhere" {
			s.typeText(string(r)).advance(s.loop.interval * 5)
		}
		if s.keys("enter"); s.screen.namespace != "elsewhere" {
			t.Errorf("in %s the namespace is %q", pane, s.screen.namespace)
		}
	}
}

// Keys of the prompt do what they do in k9s and vi.
func TestCommandLine_Keys(t *testing.T) {
	s := atUnschedulable(t)
	for _, tt := range []struct {
		keys []string
		open bool
		line string
	}{
		{[]string{":", "q", "esc"}, false, ""},
		{[]string{":", "backspace"}, false, ""},
		{[]string{":", "p", "backspace"}, true, ""},
		{[]string{":", "o", "r", "r", "tab"}, true, "orrery"},
		{[]string{":", "d", "e", "tab", "tab"}, true, "delete"},
		{[]string{":", "d", "e", "shift+tab"}, true, "devices"},
		{[]string{":", "a", "b", "ctrl+a", "c"}, true, "cab"},
		{[]string{":", "a", " ", "b", "ctrl+w"}, true, "a "},
		{[]string{":", "a", "b", "ctrl+u"}, true, ""},
	} {
		s.keys(tt.keys...)
		if open := s.screen.prompt != nil; open != tt.open || open && s.screen.prompt.input.Value() != tt.line {
			t.Errorf("after %v the prompt is %t, want %t with %q", tt.keys, open, tt.open, tt.line)
		}
		if s.screen.prompt != nil {
			s.keys("esc")
		}
	}
	if !slices.Equal(s.screen.history.commands, nil) {
		t.Errorf("cancelled lines are in the history: %q", s.screen.history.commands)
	}
}
