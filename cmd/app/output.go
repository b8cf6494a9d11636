package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orrery/core/safe/printable"
)

// apiVersion is the version of every JSON document, see docs/scripts.md. Fields may be added under it, none removed.
const apiVersion = "orrery.dev/v3"

// envelope is the first part of every JSON document.
type envelope struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func document(kind string) envelope { return envelope{apiVersion, kind} }

// output is the flag --output.
type output struct {
	format string
	names  bool     // offers asNames
	more   []string // formats that the command writes itself
}

// The formats.
const (
	asText  = "text"
	asJSON  = "json"
	asYAML  = "yaml"
	asNames = "name"
)

// named is a document that is a list: its names are arguments of other commands.
type named interface{ names() []string }

func (o *output) formats() []string {
	all := []string{asText, asJSON, asYAML}
	if o.names {
		all = append(all, asNames)
	}
	return append(all, o.more...)
}

func (o *output) String() string { return o.format }

// Type implements pflag.Value: it names the value in help texts.
func (o *output) Type() string { return "format" }

// Set implements pflag.Value.
func (o *output) Set(s string) error {
	if all := o.formats(); !slices.Contains(all, s) {
		return fmt.Errorf("it is %s or %s", strings.Join(all[:len(all)-1], ", "), all[len(all)-1])
	}
	o.format = s
	return nil
}

const outputFlag = "output"

func (o *output) addFlag(c *cobra.Command) {
	o.format = asText
	usage := "text for people, json or yaml for programs, see docs/scripts.md"
	if o.names {
		usage = "text for people, json or yaml for programs, or name, see docs/scripts.md"
	} else if len(o.more) > 0 {
		usage += ", or " + strings.Join(o.more, ", ")
	}
	c.Flags().VarP(o, outputFlag, "o", usage)
	_ = c.RegisterFlagCompletionFunc(outputFlag, cobra.FixedCompletions(o.formats(), cobra.ShellCompDirectiveNoFileComp))
}

// print writes the document in the format that was asked for, or the text.
func (o *output) print(c *cobra.Command, doc any, text func(w io.Writer)) error {
	var page bytes.Buffer
	switch o.format {
	case asJSON, asYAML:
		written, err := encode(doc, o.format)
		if err != nil {
			return fmt.Errorf("writing the answer as %s: %w", o.format, err)
		}
		page.Write(written)
	case asNames:
		list, ok := doc.(named)
		if !ok {
			return errors.New("-o name is of a list: leave out the pod")
		}
		for _, name := range list.names() {
			fmt.Fprintln(&page, printable.Line(name, 600))
		}
	default:
		text(&page)
	}
	if _, err := c.OutOrStdout().Write(page.Bytes()); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// encode returns a document as JSON or YAML, with the same fields.
func encode(doc any, format string) ([]byte, error) {
	var page bytes.Buffer
	e := json.NewEncoder(&page)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return nil, err
	}
	if format == asYAML {
		return yamlOf(page.Bytes())
	}
	return printable.EscapeJSON(page.Bytes()), nil
}

// encodeOne returns one of several documents: in a line of its own as JSON, behind a separator as YAML.
func encodeOne(doc any, format string) ([]byte, error) {
	if format == asYAML {
		text, err := encode(doc, format)
		return append([]byte("---\n"), text...), err
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return nil, err
	}
	return printable.EscapeJSON(line.Bytes()), nil
}
