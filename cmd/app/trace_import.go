package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/trace"
	"orrery/core/world"
)

// undated is the start of a cluster whose files give no times, as openb's do not.
var undated = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)

func traceImportCommand() *cobra.Command {
	var (
		out    output
		to     outFile
		openb  bool
		claims bool
	)
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Make a trace of Kubernetes objects, or of the openb data",
		Long: `Import makes a trace of Kubernetes objects in YAML or JSON, as "kubectl get -o yaml" prints them;
- is the standard input. Everything there is when the first pending pod was created is there from
the start, and pending pods come when they were created, those without a creationTimestamp with the
pending pod before them. Of an object that is there several times the last one counts. Kinds that
scheduling does not read are skipped.

With --openb it takes the two files of the openb trace: the list of nodes and the list of pods. GPUs
are an extended resource in thousandths then, of which a pod may get some of one GPU and some of
another. With --gpu-claims they are devices, and pods have claims to them: to whole ones, or to a
share of one. That needs the feature gate DRAConsumableCapacity, which the trace says.

Such a trace has no scheduler in it: replayed, everything that the scheduler wants done succeeds at
once.`,
		Example: `  kubectl get nodes,pods,pvc,pv,sc,pdb,pc -A -o yaml >cluster.yaml
  orrery trace import cluster.yaml --out cluster.orrery
  orrery trace import nodes.yaml pods.json --out cluster.orrery
  orrery trace import --openb nodes.csv pods.csv --out openb.orrery
  orrery trace import --openb --gpu-claims nodes.csv pods.csv --out gpu.orrery`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if claims && !openb {
				return errors.New("--gpu-claims is about the openb data: it needs --openb")
			}
			if err := to.check(c, out); err != nil {
				return err
			}
			p := newProgress(c, "importing")
			var im *trace.ImportedTrace
			_, err := to.write(c, func(w io.Writer) (err error) {
				if openb {
					im, err = importOpenB(p, args, claims)
				} else {
					im, err = importFiles(c, p, args)
				}
				if err != nil {
					return err
				}
				return im.Write(w, trace.Header{Program: "orrery " + version()})
			})
			p.done()
			if err != nil {
				return err
			}
			doc := newTraceImport(to.name, im)
			return printWritten(c, out, to, doc, doc.Notes, doc.text)
		},
	}
	c.Flags().BoolVar(&openb, "openb", false, "the files are openb's list of nodes and list of pods")
	c.Flags().BoolVar(&claims, "gpu-claims", false, "write openb's GPUs as devices, and demands for them as claims")
	to.addFlags(c)
	out.addFlag(c)
	return c
}

func importFiles(c *cobra.Command, p *progress, files []string) (*trace.ImportedTrace, error) {
	objects := trace.ObjectImporter{Undated: undated, Progress: func(n int) { p.count(n, "objects") }}
	for _, file := range files {
		if err := importFile(c, &objects, file); err != nil {
			return nil, err
		}
	}
	im := objects.Result()
	if len(im.Inputs) == 0 {
		return nil, errors.New(strings.Join(append([]string{"importing: there is no object in this that scheduling reads"}, im.Notes...), "; "))
	}
	return im, nil
}

func importFile(c *cobra.Command, into *trace.ObjectImporter, file string) error {
	if file == "-" {
		return into.Read("standard input", c.InOrStdin())
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("importing: %w", err)
	}
	defer f.Close()
	return into.Read(file, f)
}

func importOpenB(p *progress, files []string, claims bool) (*trace.ImportedTrace, error) {
	if len(files) != 2 {
		return nil, fmt.Errorf("importing openb takes two files, the list of nodes and the list of pods, and not %d", len(files))
	}
	nodes, err := os.Open(files[0])
	if err != nil {
		return nil, fmt.Errorf("importing: %w", err)
	}
	defer nodes.Close()
	pods, err := os.Open(files[1])
	if err != nil {
		return nil, fmt.Errorf("importing: %w", err)
	}
	defer pods.Close()
	return trace.ImportOpenB(files[0], nodes, files[1], pods, trace.OpenBOptions{
		Start: undated, Claims: claims, Progress: func(n int) { p.count(n, "lines") },
	})
}

type traceImportDocument struct {
	envelope
	File    string         `json:"file"`
	Start   moment         `json:"start"`
	End     moment         `json:"end"`
	Seconds float64        `json:"seconds"`
	Inputs  int            `json:"inputs"`
	Objects map[string]int `json:"objects"`
	Notes   []string       `json:"notes"`
}

func newTraceImport(file string, im *trace.ImportedTrace) traceImportDocument {
	end := im.Start
	if n := len(im.Inputs); n > 0 {
		end = im.Inputs[n-1].At
	}
	doc := traceImportDocument{
		document("TraceImport"), file, momentOf(im.Start), momentOf(end), end.Sub(im.Start).Seconds(), len(im.Inputs),
		map[string]int{},
		append([]string{}, im.Notes...),
	}
	for _, in := range im.Inputs {
		switch ev := in.Event.(type) {
		case world.Listed:
			doc.Objects[string(ev.Kind)] += len(ev.Objects)
		case world.Changed:
			if ev.Op == world.Added {
				doc.Objects[string(world.KindOf(ev.Object))]++
			}
		}
	}
	return doc
}

func (d traceImportDocument) text(w io.Writer) {
	counts := map[string]uint64{}
	for kind, n := range d.Objects {
		counts[kind] = uint64(n)
	}
	fmt.Fprintf(w, "wrote %q: %s over %s%s\n", d.File, countText(d.Inputs, "input"), durationText(durationOf(d.Seconds)), breakdown(counts))
}
