package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// apiVersion is that of every JSON document that is printed; docs/scripts.md says what is in them. Fields may be added
// under it, and none taken away.
const apiVersion = "orrery.dev/v1"

// envelope is what every JSON document begins with: it is embedded in front.
type envelope struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func document(kind string) envelope { return envelope{apiVersion, kind} }

// output is the flag --output: whether people read the answer or programs do.
type output string

// The formats.
const (
	asText output = "text"
	asJSON output = "json"
)

func (o *output) String() string { return string(*o) }

// Type is what the value is called in help texts. It implements pflag.Value.
func (o *output) Type() string { return "format" }

// Set implements pflag.Value.
func (o *output) Set(s string) error {
	switch output(s) {
	case asText, asJSON:
		*o = output(s)
		return nil
	}
	return errors.New("it is text or json")
}

// flag gives a command the flag.
func (o *output) flag(c *cobra.Command) {
	*o = asText
	c.Flags().VarP(o, "output", "o", "text for people or json for programs, see docs/scripts.md")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

// print writes an answer: the document as JSON, or what text writes.
func (o *output) print(c *cobra.Command, doc any, text func(w io.Writer)) error {
	var page bytes.Buffer
	if *o == asJSON {
		e := json.NewEncoder(&page)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(doc); err != nil {
			return fmt.Errorf("writing the answer as JSON: %w", err)
		}
		page = *bytes.NewBuffer(visible(page.Bytes()))
	} else {
		text(&page)
	}
	if _, err := c.OutOrStdout().Write(page.Bytes()); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// visible escapes in JSON what a terminal would not show as it is. It stands in strings only, where it means the same.
func visible(text []byte) []byte {
	if !bytes.ContainsFunc(text, hidden) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		switch {
		case !hidden(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

func hidden(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
