package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orrery/core/answers/change"
	"orrery/core/safe/address"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
)

// fitContexts is the answer about several clusters.
type fitContexts struct {
	envelope
	// Fits says that one of them takes all.
	Fits     bool         `json:"fits"`
	Contexts []fitContext `json:"contexts"`
}

// fitContext is the answer about one cluster, or why there is none.
type fitContext struct {
	Context string       `json:"context"`
	Fits    bool         `json:"fits"`
	Summary string       `json:"summary"`
	Error   string       `json:"error,omitempty"`
	Fit     *fitDocument `json:"fit,omitempty"`
}

// runEach asks one cluster after another.
func (f *fitFlags) runEach(c *cobra.Command, plugins framework.Registry, contexts []string, after []change.Change) error {
	if f.whom.trace != "" || c.Flags().Changed(attachFlag) {
		return fmt.Errorf("--context %s: several clusters are asked as they are, without --trace and --%s", strings.Join(contexts, ","), attachFlag)
	}
	for _, file := range f.files {
		if file == "-" {
			return fmt.Errorf("--context %s: the standard input can be read once: give the objects as a file", strings.Join(contexts, ","))
		}
	}
	doc := &fitContexts{envelope: document("FitContexts"), Contexts: []fitContext{}}
	failed, flags := 0, f.whom.flags
	for _, name := range contexts {
		f.whom.flags = flags.forContext(name)
		f.whom.flags.overrides.Timeout, f.whom.flags.overrides.Context.Namespace = flags.overrides.Timeout, flags.overrides.Context.Namespace
		set, err := f.read(c) // the namespace may be the context's
		if err != nil {
			return err
		}
		one := fitContext{Context: name}
		if one.Fit, err = f.answer(c, plugins, set, after); err != nil {
			one.Error = address.ErrorText(err)
			one.Summary = "not known: " + one.Error
			failed++
		} else {
			one.Fits, one.Summary = one.Fit.Fits, one.Fit.Summary
		}
		doc.Fits = doc.Fits || one.Fits
		doc.Contexts = append(doc.Contexts, one)
	}
	if err := f.out.print(c, doc, doc.text); err != nil {
		return err
	}
	if failed == len(contexts) {
		return errBadInput
	}
	return exitFor(doc.Fits)
}

func (d *fitContexts) text(w io.Writer) {
	var lines [][]string
	for _, one := range d.Contexts {
		lines = append(lines, []string{printable.Line(one.Context, 100), printable.Line(one.Summary, 300)})
	}
	writeTable(w, "", lines)
}
