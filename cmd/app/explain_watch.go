package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/framework"
)

// watchInterval is how long an answer of --watch stands: what changes it may be any object of the cluster. A change of the pod
// itself is seen at once.
const watchInterval = 30 * time.Second

// watch asks again and again, and prints the answers that differ from the one before, until nothing waits.
func (f *explainFlags) watch(c *cobra.Command, plugins framework.Registry, args []string) error {
	if f.whom.trace != "" || !f.whom.configured(c) {
		return errors.New("--watch: a recording does not change; \"orrery demo TRACE\" plays one")
	}
	last := ""
	for {
		doc, err := f.ask(c, plugins, args)
		if err != nil {
			return err
		}
		if gist := doc.gist(); gist != last {
			if last != "" && f.out.format == asText {
				fmt.Fprintf(c.OutOrStdout(), "\n%s\n", timeText(doc.at))
			}
			if err := doc.print(c, &f.out); err != nil {
				return err
			}
			last = gist
		}
		if doc.settled() {
			return nil
		}
		if err := f.await(c, doc); err != nil {
			return err
		}
	}
}

// await returns when the pod of an answer has changed, or the answer is old.
func (f *explainFlags) await(c *cobra.Command, doc *answerDocument) error {
	ctx, cancel := context.WithTimeout(c.Context(), watchInterval)
	defer cancel()
	if d := doc; d.Pod != nil {
		from, err := f.whom.open(c, 0)
		if err != nil {
			return err
		}
		one := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", d.Pod.Name).String(), ResourceVersion: d.resourceVersion}
		if w, err := from.client.CoreV1().Pods(d.Pod.Namespace).Watch(ctx, one); err == nil {
			defer w.Stop()
			if _, changed := <-w.ResultChan(); changed {
				return nil
			}
		}
	}
	<-ctx.Done() // also where there is no right to watch
	return c.Context().Err()
}

// settled reports whether nothing waits any more.
func (d *answerDocument) settled() bool { return d.Settled }

// gist is what makes it another answer: not the time, and not how long something has been so.
func (d *answerDocument) gist() string {
	p := page{all: true}
	p.add(d.Headline + d.Summary + d.Leader.none())
	if d.Status != nil {
		p.add(d.Status.State)
	}
	p.reasons(d.Reasons)
	p.remedies(d.Remedies)
	for _, g := range d.Groups {
		p.add(fmt.Sprint(g.Namespace, g.Owner, g.Pods, g.Waiting, g.Summary, g.Places))
	}
	for _, g := range append(slices.Clone(d.Gangs), d.Gang) {
		if told, is := g.(*diagnose.ToldGang); is {
			p.add(fmt.Sprint(told.Name, told.State, told.Placed, told.Deadline, told.Summary, told.Counts))
			p.gangRemedies(told)
		}
	}
	for _, g := range d.PodGroups {
		p.add(fmt.Sprint(g.Links("")))
	}
	var text strings.Builder
	p.write(&text)
	return text.String()
}
