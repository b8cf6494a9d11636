package app

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// answered is the answer to a question that may be asked again.
type answered interface {
	text(w io.Writer)
	// gist is what makes it another answer: not the time, and not how long something has been so.
	gist() string
	askedAt() time.Time
	// yes is the exit code, and settled says that nothing waits any more.
	yes() bool
	settled() bool
	// damaged says that the trace that was asked is.
	damaged() bool
}

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
				fmt.Fprintf(c.OutOrStdout(), "\n%s\n", timeText(doc.askedAt()))
			}
			if err := f.out.print(c, doc, doc.text); err != nil {
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
func (f *explainFlags) await(c *cobra.Command, doc answered) error {
	ctx, cancel := context.WithTimeout(c.Context(), watchInterval)
	defer cancel()
	if d, ofPod := doc.(*explanationDocument); ofPod {
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

func (d *explanationDocument) askedAt() time.Time { return d.at }

func (d *pendingPodsDocument) askedAt() time.Time { return d.at }

func (d *explanationDocument) damaged() bool { return d.Damage != nil }

func (d *explanationDocument) gist() string {
	var text strings.Builder
	fmt.Fprintln(&text, d.headline(), d.Summary, d.Status.words())
	d.writeReasons(&text)
	writeTable(&text, "", d.remedyLines(func(*remedy) bool { return true }))
	text.WriteString(d.Gang.gist())
	return text.String()
}

func (d *explanationDocument) settled() bool {
	return d.lifecycle.Phase != diagnose.PhasePending && !d.held()
}

func (d *pendingPodsDocument) yes() bool { return d.Pods == 0 }

func (d *pendingPodsDocument) settled() bool { return d.Pods == 0 }

func (d *pendingPodsDocument) damaged() bool { return d.Damage != nil }

func (d *pendingPodsDocument) gist() string {
	text := fmt.Sprint(d.Pods, d.Leader.none())
	for i := range d.Groups {
		g := &d.Groups[i]
		text += fmt.Sprint("\n", g.Namespace, g.Owner, g.Pods, g.Waiting, g.Summary, g.Places)
	}
	return text
}
