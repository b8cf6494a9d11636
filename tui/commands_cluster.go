package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	v1 "k8s.io/api/core/v1"

	"orrery/core/operator/actions"
	"orrery/core/safe/printable"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/filter"
)

// clusterCommands are the commands that need a cluster.
var clusterCommands = []command{
	{name: "ctx", argument: "[context]", help: "watch another cluster of the kubeconfig", run: (*Screen).commandContext, complete: contextCompletions},
	{name: "clusters", argument: "[contexts]", help: "the list of the clusters that are watched; contexts after it, with commas, are watched too", run: (*Screen).commandClusters, complete: clusterCompletions},
	{name: "ns", argument: "[namespace]", help: "show pods of one namespace only; without one, of all", run: (*Screen).commandNamespace, complete: namespaceCompletions},
	{name: "drain", argument: "[node]", help: "drain a node, or the selected one", run: commandOnNode("drain", actions.ProposeDrain), complete: namesFromEngine("drain", collect.NodeNames)},
	{name: "cordon", argument: "[node]", help: "cordon a node, or the selected one, or uncordon it", run: commandOnNode("cordon", actions.ToggleCordon), complete: namesFromEngine("cordon", collect.NodeNames)},
	{name: "access", help: "what may not be seen, and the RBAC rules it takes", run: (*Screen).commandAccess},
}

// proposesOnNode makes the function of a key that changes the selected nodes. Several are tried on a copy where they cannot be changed.
func proposesOnNode(name string, action func(*v1.Node) actions.Action) func(*Screen, string) tea.Cmd {
	return func(s *Screen, _ string) tea.Cmd {
		if s.triesMarked() {
			return s.tryMarked(name)
		}
		nodes := s.markedNodes()
		if len(nodes) == 0 {
			node, _ := s.selectedNode()
			nodes = []string{node}
		}
		var each []proposal
		for _, node := range nodes {
			each = append(each, onNode(node, action))
		}
		s.propose(together(each))
		return nil
	}
}

// proposesOnPod is the same for pods.
func proposesOnPod(name string, action func(*v1.Pod) (actions.Action, error)) func(*Screen, string) tea.Cmd {
	return func(s *Screen, _ string) tea.Cmd {
		if s.triesMarked() {
			return s.tryMarked(name)
		}
		pods := s.markedPods()
		if len(pods) == 0 {
			pod, _ := s.selectedPod()
			pods = []world.PodRef{pod}
		}
		var each []proposal
		for _, pod := range pods {
			each = append(each, onPod(pod, action))
		}
		s.propose(together(each))
		return nil
	}
}

// commandOnNode changes a node that is named or selected. Where nothing can be changed it names the what-if of the same.
func commandOnNode(name string, action func(*v1.Node) actions.Action) func(*Screen, string) tea.Cmd {
	return func(s *Screen, node string) tea.Cmd {
		if node == "" {
			node, _ = s.selectedNode()
		}
		switch why := s.readOnlyReason(); {
		case node == "":
			s.fail(":" + name + ": no node is selected; say which, as in :" + name + " NODE")
		case why != "":
			s.fail(":" + name + ": " + why + "; :whatif " + name + " " + printable.Line(node, 80) + " tries it on a copy")
		default:
			s.propose(onNode(node, action))
		}
		return nil
	}
}

// contextsMsg lists the contexts of the kubeconfig.
type contextsMsg []string

func contextCompletions(s *Screen, typed string) []string {
	if s.contextNames == nil {
		s.submit(func(p *loop) {
			p.sendContexts()
		})
	}
	return oneOf(s.contextNames...)(s, typed)
}

// switchedMsg reports that the loop shows another cluster or recording, or one namespace of it; an empty namespace is all.
type switchedMsg struct {
	cluster, namespace string
	view               views.PaneID // of another recording, and the node that the pane is about
	node               string
	// root is the lowest pane: the overview, or the list of clusters with the cursor on the one that was left.
	root views.PaneID
	left string
	// entered means that it is opened from the list, as the options have it.
	entered bool
}

// switchTimeout limits how long connecting to another cluster may take.
//
//orrery:limit screen; the wait for another cluster; it stays as it was
const switchTimeout = 30 * time.Second

// commandContext switches to another cluster; without a name it lists the contexts.
func (s *Screen) commandContext(name string) tea.Cmd {
	s.submit(func(p *loop) {
		switch {
		case p.clusters != nil && name != "" && (p.live == nil || p.clusters.several()):
			p.enterCluster(":ctx", name)
		case p.live == nil && p.clusters != nil:
			p.report("contexts: " + printable.Line(strings.Join(p.clusters.contexts, ", "), 300))
		case p.live == nil:
			p.reportError(errors.New(":ctx: this is a recording, and has no contexts"))
		case name == "":
			p.report("contexts: " + printable.Line(strings.Join(p.live.Contexts(), ", "), 300))
		case !slices.Contains(p.live.Contexts(), name):
			p.reportError(fmt.Errorf(":ctx: there is no context %q; there are %s", printable.Line(name, 80), printable.Line(strings.Join(p.live.Contexts(), ", "), 300)))
		default:
			p.switchCluster(name, "")
		}
	})
	return nil
}

// switchCluster connects to another cluster, or to a namespace of this one, off the loop's goroutine; the loop then
// shows it.
func (p *loop) switchCluster(name, namespace string) {
	p.report("connecting to " + printable.Line(name, 80) + " …")
	live := p.live
	p.spawn(func() {
		ctx, cancel := context.WithTimeout(context.Background(), switchTimeout)
		defer cancel()
		change, err := live.Dial(ctx, name, namespace)
		if err != nil {
			p.reportError(fmt.Errorf("staying here: %w", err))
			return
		}
		p.submit(func(p *loop) {
			p.afterHold = func() {
				p.spawn(change())
				p.clusters.renamed(p.source, name)
				p.send(switchedMsg{cluster: name, namespace: namespace})
			}
		})
	})
}

// clusterSwitched shows another cluster or recording, or this cluster with another namespace.
func (s *Screen) clusterSwitched(m switchedMsg) {
	if m.entered {
		m.view, m.node, m.namespace = s.options.View, s.options.Node, s.options.Namespace
	}
	s.namespace, s.dirty = m.namespace, true
	if m.cluster != "" {
		s.watches = watches{}
		s.setWatched(nil)
		s.navStack[0] = navEntry{pane: m.root, rowKey: m.left}
		s.openPane(views.Overview)
		clear(s.saved)
		s.jumps, s.held = jumps{}, nil
		s.openPane(m.view)
		s.top().node = m.node
		s.whatIfPending, s.summaryPending = false, false
		s.menu, s.confirm = nil, nil // they are about what was shown before
	}
	switch {
	case m.namespace != "":
		s.setStatus("pods of namespace " + printable.Line(m.namespace, 80) + "; :ns shows all again")
	case m.cluster != "":
		s.setStatus("watching " + printable.Line(m.cluster, 80))
	default:
		s.setStatus("pods of all namespaces")
	}
}

// namespaceCompletions completes the name of a namespace.
var namespaceCompletions = namesFromEngine("ns", collect.Namespaces)

// commandNamespace shows the pods of one namespace only. Where only one namespace can be read, another needs a new
// session.
func (s *Screen) commandNamespace(name string) tea.Cmd {
	if name == "all" || name == "*" {
		name = ""
	}
	if _, err := filter.Parse("-n " + name); name != "" && err != nil {
		s.fail(":ns: " + err.Error())
		return nil
	}
	s.submit(func(p *loop) {
		switch within := p.onlyNamespace(); {
		case within == "" || name == within:
			p.send(switchedMsg{namespace: name})
		case name == "":
			p.reportError(fmt.Errorf(":ns: no more may be read than namespace %s; :access says what it takes", printable.Line(within, 80)))
		default:
			p.switchCluster(p.source.Name(), name)
		}
	})
	return nil
}

// onlyNamespace returns the only namespace whose pods can be read; empty for all.
func (p *loop) onlyNamespace() string {
	if p.live != nil {
		return p.live.PodNamespace()
	}
	return ""
}

// scopedFilter caches a filter combined with the chosen namespace, so that an equal query is the same pointer.
type scopedFilter struct {
	namespace    string
	base, filter *filter.Filter
}

// effectiveFilter returns an entry's filter, restricted to the chosen namespace.
func (s *Screen) effectiveFilter(t *navEntry) *filter.Filter {
	of := t.list.filter
	if s.namespace == "" || !pane(t.pane).Namespaced() {
		return of
	}
	if s.scope.filter == nil || s.scope.namespace != s.namespace || s.scope.base != of {
		made, err := filter.Parse(strings.TrimSpace("-n " + s.namespace + " " + of.String()))
		if err != nil {
			return of
		}
		s.scope = scopedFilter{s.namespace, of, made}
	}
	return s.scope.filter
}

// commandAccess opens a page with the missing read permissions.
func (s *Screen) commandAccess(string) tea.Cmd {
	s.submit(func(p *loop) {
		if p.live == nil {
			p.reportError(errors.New(":access: " + cmp.Or(p.onList(), "this is a recording, which needs no permissions")))
			return
		}
		p.send(pageMsg{&page{title: "access", lines: printableLines(p.live.Access())}})
	})
	return nil
}

// report shows a sentence in the status line.
func (p *loop) report(text string) { p.send(sayMsg{text: text}) }
