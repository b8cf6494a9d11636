package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"orrery/core/operator/actions"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
)

// madeCalls are the calls that change a cluster.
type madeCalls struct{ calls []string }

// actingConsole is a console that may change its cluster, and the calls that did. It has pods that are bound, pending and gated.
func actingConsole(t testing.TB, w, h int) (*session, *madeCalls) {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	objects := []world.Object{
		mk.Node("node-0").CPU("4").Memory("8Gi").Zone("a").Obj(), mk.Node("node-1").CPU("4").Memory("8Gi").Zone("b").Obj(), mk.Node("node-2").CPU("4").Memory("8Gi").Zone("b").Obj(),
		mk.Pod("web-0").CPU("1").Node("node-0").Scheduler("default-scheduler").Obj(), mk.Pod("web-1").CPU("1").Node("node-0").Scheduler("default-scheduler").Obj(),
		mk.Pod("big-0").CPU("9").Scheduler("default-scheduler").Obj(), mk.Pod("big-1").CPU("9").Scheduler("default-scheduler").Obj(),
		mk.Pod("held").CPU("1").Gate("example.com/quota").Scheduler("default-scheduler").Obj(),
	}
	api := fake.NewClientset()
	for _, o := range objects {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
		if err := api.Tracker().Add(o); err != nil {
			t.Fatal(err)
		}
	}
	for more := true; more; {
		_, more = e.Step()
	}
	made := &madeCalls{}
	api.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if verb := a.GetVerb(); verb != "get" && verb != "list" && verb != "watch" {
			made.calls = append(made.calls, verb+" "+strings.TrimSuffix(a.GetResource().Resource+"/"+a.GetSubresource(), "/"))
		}
		return false, nil, nil
	})
	activate := func(context.Context, ...types.NamespacedName) error {
		made.calls = append(made.calls, "activate")
		return nil
	}
	s := watch(t, &cluster{staticSource: staticSource{e}, executor: actions.Executor{Client: api, Activate: activate}, contexts: []string{"staging"}}, w, h)
	s.screen.options.Folder = filepath.Join(t.TempDir(), "missing") // S saves nothing
	return s, made
}

// openOn closes everything and opens a pane as keys would have, where it is about one on a pod or a node.
func (s *session) openOn(id views.PaneID) {
	s.t.Helper()
	c := s.screen
	c.prompt, c.menu, c.finder, c.confirm, c.zoom, c.whatIfPending, c.summaryPending, c.row, c.startCard = nil, nil, nil, nil, false, false, false, overviewCursor{}, false
	clear(c.saved)
	c.navStack = c.navStack[:1]
	switch p := pane(id); {
	case id != views.Overview && s.computed[id].pane == id:
		c.push(s.computed[id])
	case id == textPane:
		s.keys("3", "d")
	case id == views.WhatIfPane:
		s.keys("3", "w", "d")
	case id == views.PendingPane:
		s.keys("2", "P")
	case id == views.Overview:
	case p.About == views.AboutPod:
		c.push(navEntry{pane: id, pod: world.PodRef{Namespace: "default", Name: "web-0"}})
	case p.About == views.AboutNode:
		c.push(navEntry{pane: id, node: "node-0"})
	default:
		c.openPane(id)
	}
	s.send(frameMsg{}) // the query of the pane is sent
	c.View()
	if top := *c.top(); top.answer != nil || top.summary != nil || top.page != nil {
		s.computed[id] = top // once for all: it takes the engine's forks
	}
	if s.screen.keyPane() != id {
		s.t.Fatalf("pane %q does not open:\n%s", id, s.plain())
	}
}

// printables are what random texts are made of: what a keyboard has, and a few that it does not.
var printables = func() (all []rune) {
	for r := ' '; r <= '~'; r++ {
		all = append(all, r)
	}
	return append(all, 'é', 'ß', '日', '…')
}()

// TestKeys_TypingChangesNothing types 10,000 random texts in every pane of a console that may act, as fast and as slowly as people do:
// after "/", into what other prompts, menus and dialogs are open, and plainly. Nothing of it changes the cluster, and what follows
// "/" runs no command.
func TestKeys_TypingChangesNothing(t *testing.T) {
	s, made := actingConsole(t, 80, 24)
	rng := rand.New(rand.NewPCG(39, 1))
	openers := []string{"/", "/", "", ":", "w", "c", "D", "E", "X", "A", "U", "d"}
	for n := range 10_000 {
		id := anywhere[n%len(anywhere)]
		if s.openOn(id); rng.IntN(3) == 0 {
			s.keys([]string{"down", "j", "G"}[rng.IntN(3)])
		}
		opener := openers[rng.IntN(len(openers))]
		typed := ""
		for range 1 + rng.IntN(12) {
			typed += string(printables[rng.IntN(len(printables))])
		}
		pauses := time.Duration(rng.IntN(3)) * 200 * time.Millisecond
		if opener != "" {
			s.wait(pauses).keys(opener)
		}
		open, depth := s.screen.keyPane(), len(s.screen.navStack)
		for _, r := range typed {
			s.wait(pauses).send(keyNamed(string(r)))
			switch c := s.screen; {
			case opener != "/":
			case c.prompt == nil && c.finder == nil || c.menu != nil || c.confirm != nil || c.whatIfPending || c.keyPane() != open || len(c.navStack) != depth:
				t.Fatalf("in pane %q, %q of /%s runs as a command:\n%s", id, r, typed, s.plain())
			}
		}
		if opener == "/" {
			s.keys([]string{"enter", "esc"}[rng.IntN(2)])
		}
		if len(made.calls) > 0 {
			t.Fatalf("in pane %q, %s%s changed the cluster: %q", id, opener, typed, made.calls)
		}
	}
}

// TestKeys_SlashInDialogsRunsNothing types a search while a menu or a dialog is open, in its first moments and later.
func TestKeys_SlashInDialogsRunsNothing(t *testing.T) {
	s, made := actingConsole(t, 80, 24)
	for _, opener := range []string{"w", "c", "D"} {
		for _, pause := range []time.Duration{0, time.Second} {
			s.openOn(views.SnapshotPane)
			s.keys(opener).wait(pause).keys("/")
			depth := len(s.screen.navStack)
			for _, r := range "DEcdy" {
				if s.wait(pause).typeText(string(r)); s.screen.prompt == nil || s.screen.confirm != nil || len(s.screen.navStack) != depth {
					t.Errorf("after %s, %q of what follows / runs as a command:\n%s", opener, r, s.plain())
				}
			}
		}
	}
	if len(made.calls) > 0 {
		t.Errorf("it changed the cluster: %q", made.calls)
	}
}

// allKeys are the keys of the table and all that a keyboard prints, but for those that leave the screen or write files.
func allKeys() []string {
	var keys []string
	for _, r := range printables {
		keys = append(keys, string(r))
	}
	for i := range bindings {
		keys = append(keys, bindings[i].keys...)
	}
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(k string) bool {
		return slices.Contains([]string{" ", "q", "ctrl+c", "ctrl+z", "S", "R", "ctrl+s"}, k)
	})
}

// TestKeys_EveryKeyActsOrSpeaks presses every key in every pane, of a console that may act and of a recording at its start, in its
// middle and at its end: it changes what is shown, opens something, or says why it does nothing. Nothing changes the cluster.
func TestKeys_EveryKeyActsOrSpeaks(t *testing.T) {
	console, made := actingConsole(t, 80, 24)
	walk := func(name string, s *session, panes []views.PaneID) {
		for _, id := range panes {
			for _, key := range allKeys() {
				s.openOn(id)
				was, copied := s.view(), len(s.raw)
				if s.keys(key); s.screen.status == "" && s.screen.prompt == nil && s.screen.menu == nil && s.screen.confirm == nil && s.screen.finder == nil && s.view() == was && len(s.raw) == copied {
					t.Errorf("%s: %s in pane %q does nothing and says nothing:\n%s", name, key, id, s.plain())
				}
			}
		}
	}
	walk("console", console, anywhere)
	if len(made.calls) > 0 {
		t.Errorf("keys changed the cluster: %q", made.calls)
	}
}

// TestKeys_TimeKeysActOrSpeak presses the keys of the timeline where there is no more to go to.
func TestKeys_TimeKeysActOrSpeak(t *testing.T) {
	for _, at := range []string{"^", "$"} {
		for i := range bindings {
			b := &bindings[i]
			if b.group != timeKeys {
				continue
			}
			for _, key := range b.keys {
				s := newSession(t, 80, 24).keys("4", at)
				was, record := s.view(), s.loop.source.(*Recording).Record()
				if s.keys(key); s.screen.status == "" && s.view() == was && s.loop.source.(*Recording).Record() == record {
					t.Errorf("after %s, %s does nothing and says nothing:\n%s", at, key, s.plain())
				}
			}
		}
	}
	s := newSession(t, 80, 24)
	for range 20 {
		s.keys(",")
	}
	s.shows("this is the lowest speed")
	for range 30 {
		s.keys(".")
	}
	s.shows("this is the highest speed")
}

// TestConfirm_EveryOtherKeyCancels presses every key in the dialog of every action: none acts, none does anything in the first
// moments, and all but those that choose a button cancel.
func TestConfirm_EveryOtherKeyCancels(t *testing.T) {
	own := []string{"left", "right", "tab", "shift+tab"}
	s, made := actingConsole(t, 80, 24)
	for _, open := range actionKeys {
		for _, key := range append(allKeys(), "esc", "enter", "backspace", "x", "y", "Y") {
			s.openOn(open.pane)
			s.keys(open.before...).keys(open.key)
			if s.screen.confirm == nil {
				t.Fatalf("%s in pane %q opens no dialog:\n%s", open.key, open.pane, s.plain())
			}
			if s.wait(confirmDelay - time.Millisecond).keys(key); key != "/" && (s.screen.confirm == nil || s.screen.confirm.act) {
				t.Fatalf("%s acts on the dialog of %s in its first moments", key, open.key)
			}
			if s.wait(time.Millisecond).keys(key); (s.screen.confirm != nil) != slices.Contains(own, key) {
				t.Errorf("%s in the dialog of %s: it is open: %t", key, open.key, s.screen.confirm != nil)
			}
			if key != "/" && s.screen.confirm == nil && !strings.HasPrefix(s.screen.status, "cancelled") {
				t.Errorf("%s in the dialog of %s says %q", key, open.key, s.screen.status)
			}
			if len(made.calls) > 0 {
				t.Fatalf("%s in the dialog of %s changed the cluster: %q", key, open.key, made.calls)
			}
		}
	}
}

// actionKeys are the keys that change the cluster, where they do.
var actionKeys = []struct {
	pane     views.PaneID
	before   []string
	key      string
	question string
	command  string
	undo     string
	calls    string
}{
	{views.NodePane, nil, "c", "Cordon node node-0?", "$ kubectl cordon node-0", "Undo: c uncordons it.", "[patch nodes]"},
	{views.NodePane, nil, "D", "Drain node node-0?", "$ kubectl drain node-0 --ignore-daemonsets", "Undo: c uncordons it; pods are not moved back.", "[patch nodes" + strings.Repeat(" create pods/eviction", 5) + "]"},
	{views.JourneyPane, nil, "E", "Evict pod default/web-0?", "kubectl create --raw", "Undo: none; only a controller creates another pod", "[create pods/eviction]"},
	{views.JourneyPane, nil, "X", "Delete pod default/web-0?", "$ kubectl delete pod -n default web-0", "Undo: none; only a controller creates another pod", "[delete pods]"},
	{views.QueuePane, nil, "A", "Activate pod default/big-0?", "There is no kubectl command for it", "Undo: none", "[activate]"},
	{views.QueuePane, []string{"G"}, "U", "Remove scheduling gate example.com/quota from pod default/held?", "$ kubectl patch pod -n default held", "the API does not let a gate be put back", "[patch pods]"},
}

// TestConfirm_ActsOnTheChosenButton confirms every action on purpose: it takes two keys, and the dialog has said which cluster it
// changes, the command, and what is not undone.
func TestConfirm_ActsOnTheChosenButton(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {140, 40}} {
		for _, a := range actionKeys {
			s, made := actingConsole(t, size[0], size[1])
			s.openOn(a.pane)
			s.keys(a.before...).keys(a.key).shows("This changes staging", "[ cancel ]")
			inOneLine := strings.Join(strings.Fields(strings.Map(blankBorders, s.plain())), " ")
			for _, want := range []string{a.question, a.command, a.undo} {
				if !strings.Contains(inOneLine, want) {
					t.Errorf("at %v the dialog of %s lacks %q:\n%s", size, a.key, want, s.plain())
				}
			}
			s.wait(confirmDelay).keys("right").lacks("[ cancel ]").keys("enter").lacks("This changes staging")
			if got := fmt.Sprint(made.calls); got != a.calls {
				t.Errorf("%s made the calls %s, want %s", a.key, got, a.calls)
			}
		}
	}
}

// TestConfirm_AnotherClusterIsNotChanged switches the cluster between the question and the answer.
func TestConfirm_AnotherClusterIsNotChanged(t *testing.T) {
	s, made := actingConsole(t, 140, 40)
	s.openOn(views.NodePane)
	s.keys("c").wait(confirmDelay).keys("right")
	s.loop.source.(*cluster).dialled = &cluster{executor: s.loop.live.Executor()}
	s.keys("enter").shows("it was confirmed for staging, and the screen shows production now")
	if len(made.calls) > 0 {
		t.Errorf("it changed the cluster: %q", made.calls)
	}
}

// TestConfirm_DoesNotOpenOverAPrompt has the prediction come while a search is typed: nothing opens under it.
func TestConfirm_DoesNotOpenOverAPrompt(t *testing.T) {
	s, made := actingConsole(t, 140, 40)
	s.openOn(views.NodePane)
	var work []func()
	s.loop.spawn = func(f func()) { work = append(work, f) }
	s.keys("D", "/").typeText("y")
	for _, f := range work {
		f()
	}
	s.drain()
	s.keys("enter").shows("Node").lacks("This changes staging")
	if s.screen.confirm != nil || len(made.calls) > 0 {
		t.Errorf("a dialog is open, or the cluster was changed: %q", made.calls)
	}
}
