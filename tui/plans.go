package tui

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/answers/capacity"
	"orrery/core/answers/change"
	"orrery/core/answers/consolidate"
	"orrery/core/answers/fit"
	"orrery/core/safe/files"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/views/collect"
)

// planCommands ask about what is not there yet. Each is answered on a copy, while the recording or the cluster goes on.
var planCommands = []command{
	{name: "fit", argument: "file", help: "try on a copy whether the objects of a file would fit, and what they change", run: (*Screen).commandFit},
	{name: "capacity", argument: "[zone|type|pool|label]", help: "what room there is, and how large a pod may be", run: (*Screen).commandCapacity, complete: oneOf("zone", "type", "pool")},
	{name: "consolidate", argument: "[selector]", help: "which nodes can be emptied, node by node, but for those of a selector", run: (*Screen).commandConsolidate},
}

// maxManifest bounds a file that the screen reads.
//
//orrery:limit screen; a file of :fit, in bytes; refused
const maxManifest = 16 << 20

// commandFit asks whether the objects of a file fit. The answer is a what-if: the cluster without and with them.
func (s *Screen) commandFit(file string) tea.Cmd {
	file = strings.TrimSpace(file)
	number := s.beginWhatIf("trying " + printable.Line(file, 120))
	s.submit(func(p *loop) {
		at, command := p.againAs("fit", "-f "+change.ShellWord(file))
		p.onFork(at, func(fork *engine.Engine, err error) {
			if err == nil {
				var set *fit.Set
				if set, err = readSet(file, s.namespace); err == nil {
					var a *fit.Answer
					if a, err = fit.Ask(fork, set, fit.Options{}); err == nil {
						p.send(whatIfMsg{number: number, answer: collect.Fit(a, set.Notes, printable.Line(file, 120), printable.Text(command))})
						return
					}
				}
			}
			p.send(whatIfMsg{number: number, err: fmt.Errorf(":fit: %w", err)})
		})
	})
	return nil
}

func readSet(file, namespace string) (*fit.Set, error) {
	text, err := files.Read(file, maxManifest)
	if err != nil {
		return nil, err
	}
	r := fit.NewReader(namespace)
	if err := r.Read(file, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return r.Set()
}

// beginWhatIf numbers a question whose answer opens as a what-if, and says that it is asked.
func (s *Screen) beginWhatIf(doing string) int {
	s.whatIfNumber++
	s.whatIfPending = true
	s.setStatus(doing + " … esc cancels")
	return s.whatIfNumber
}

// againAs returns the time that a question is about, and the command that repeats it.
func (p *loop) againAs(command, rest string) (time.Time, string) {
	at, again := p.source.WhatIfCommand(nil)
	if strings.HasPrefix(again, ":") {
		return at, strings.TrimSpace(":" + command + " " + strings.TrimPrefix(rest, "-f "))
	}
	return at, strings.TrimSpace(strings.Replace(strings.TrimRight(again, " "), " whatif", " "+command, 1) + " " + rest)
}

// commandCapacity opens a page with the room of the cluster.
func (s *Screen) commandCapacity(by string) tea.Cmd {
	by = strings.TrimSpace(by)
	s.submit(func(p *loop) {
		rest := ""
		if by != "" {
			rest = "--by " + change.ShellWord(by)
		}
		at, command := p.againAs("capacity", rest)
		p.onFork(at, func(fork *engine.Engine, err error) {
			if err != nil {
				p.reportError(fmt.Errorf(":capacity: %w", err))
				return
			}
			lines := append(collect.Capacity(capacity.Of(fork, collect.Grouping(by)), by), "", "$ "+printable.Text(command))
			p.send(pageMsg{&page{title: "capacity", lines: lines}})
		})
	})
	return nil
}

// planTime bounds the search for nodes to empty.
//
//orrery:limit screen; how long :consolidate searches; the plan that was found until then is shown
const planTime = 20 * time.Second

var errNoSelector = errors.New("it takes a selector of labels of nodes that are left alone, as in :consolidate team=infra")

// commandConsolidate opens a page with a plan of which nodes can be emptied.
func (s *Screen) commandConsolidate(keep string) tea.Cmd {
	keep = strings.TrimSpace(keep)
	o, rest := consolidate.Options{}, ""
	if keep != "" {
		selector, err := labels.Parse(keep)
		if err != nil {
			s.fail(":consolidate: " + errNoSelector.Error())
			return nil
		}
		o.Keep, rest = selector, "--keep "+change.ShellWord(keep)
	}
	s.setStatus("looking for nodes to empty …")
	s.submit(func(p *loop) {
		at, command := p.againAs("consolidate", rest)
		p.onFork(at, func(fork *engine.Engine, err error) {
			over := time.Now().Add(planTime)
			o.Stop = func() bool { return time.Now().After(over) }
			var plan *consolidate.Plan
			if err == nil {
				plan, err = consolidate.Find(fork, o)
			}
			if err != nil {
				p.reportError(fmt.Errorf(":consolidate: %w", err))
				return
			}
			p.report("") // it is no longer looked for
			p.send(pageMsg{&page{title: "consolidate", lines: append(collect.Plan(plan), "", "$ "+printable.Text(command))}})
		})
	})
	return nil
}
