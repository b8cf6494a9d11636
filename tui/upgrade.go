package tui

import (
	"slices"
	"strings"
	"time"

	"orrery/core/answers/change"
	"orrery/core/answers/compare"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/views"
)

const (
	// aheadLength is how much of a recording is scheduled as another release does.
	aheadLength = time.Hour
	// aheadDecisions bounds the decisions that are made to find out which rules make the difference, so that the answer comes while somebody waits.
	//
	//orrery:limit answers; decisions by which the screen finds out what makes the difference of an upgrade in a recording; the rest is not tried
	aheadDecisions = 20_000
)

// tryUpgrade asks what would happen if the scheduler decided as the next release; where that is shown, as the one after it. After the newest
// comes the oldest.
func (s *Screen) tryUpgrade() {
	now := s.frame.Model.Header.Kubernetes
	at := now
	if top := s.top(); top.pane == views.WhatIfPane && top.answer != nil {
		if tried, is := strings.CutPrefix(top.answer.Tried, "upgrade "); is {
			at = tried
		}
	}
	all := release.All()
	i := slices.IndexFunc(all, func(r release.Release) bool { return r.String() == at })
	next := all[(i+1)%len(all)].String()
	if next == now {
		next = all[(i+2)%len(all)].String()
	}
	s.commandWhatIf("upgrade " + next)
}

// cannotTryUpgrade returns why there is nothing to upgrade.
func (s *Screen) cannotTryUpgrade() string {
	if s.frame == nil {
		return "nothing is shown yet"
	}
	return ""
}

// upgradeAhead is what comes in a recording after an upgrade.
type upgradeAhead struct {
	to      string
	header  trace.Header
	records []trace.Record
}

// ahead returns what comes in a recording after an upgrade; nil if the changes are no upgrade alone, or nothing comes.
func (p *loop) ahead(changes []change.Change) *upgradeAhead {
	recording, ok := p.source.(*Recording)
	if !ok || len(changes) != 1 || changes[0].Verb != change.Upgrade || len(recording.Ahead()) == 0 {
		return nil
	}
	return &upgradeAhead{changes[0].Name, recording.Header(), recording.Ahead()}
}

// addTo adds to the notes of an upgrade what it changes for the pods that come.
func (u *upgradeAhead) addTo(answer *whatif.Result, at *engine.Engine) error {
	if u == nil {
		return nil
	}
	to, err := release.Parse(u.to)
	if err != nil {
		return err
	}
	options, err := play.OptionsOf(u.header)
	if err != nil {
		return err
	}
	from, after := compare.Configuration{Name: "as it is"}, compare.Configuration{Name: "upgraded"}
	if from.Config, err = options.Config.In(at.Features()); err != nil {
		return err
	}
	features, _ := at.Features().In(to)
	if after.Config, err = options.Config.In(features); err != nil {
		return err
	}
	from.RequeueRule, after.RequeueRule = options.RequeueRule, options.RequeueRule
	stretch := compare.Stretch{Header: u.header, At: at.Now(), Engine: at, Records: u.records, Length: aheadLength}
	upgrade, err := stretch.Upgrade(from, after, compare.Options{CauseDecisions: aheadDecisions})
	if err != nil {
		return err
	}
	for i, sentence := range upgrade.Sentences() {
		if i == 0 {
			sentence = "the rest of the recording: " + sentence
		}
		answer.Notes = append(answer.Notes, sentence)
	}
	return nil
}
