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

// apiVersion is the version of every JSON document, see docs/scripts.md. Fields may be added under it, none removed.
const apiVersion = "orrery.dev/v2"

// envelope is the first part of every JSON document.
type envelope struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func document(kind string) envelope { return envelope{apiVersion, kind} }

// output is the flag --output: text or JSON.
type output string

// The formats.
const (
	asText output = "text"
	asJSON output = "json"
)

func (o *output) String() string { return string(*o) }

// Type implements pflag.Value: it names the value in help texts.
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

func (o *output) addFlag(c *cobra.Command) {
	*o = asText
	c.Flags().VarP(o, "output", "o", "text for people or json for programs, see docs/scripts.md")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

// print writes the document as JSON, or the text.
func (o *output) print(c *cobra.Command, doc any, text func(w io.Writer)) error {
	var page bytes.Buffer
	if *o == asJSON {
		e := json.NewEncoder(&page)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(doc); err != nil {
			return fmt.Errorf("writing the answer as JSON: %w", err)
		}
		page = *bytes.NewBuffer(escapeUnprintable(page.Bytes()))
	} else {
		text(&page)
	}
	if _, err := c.OutOrStdout().Write(page.Bytes()); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// escapeUnprintable escapes unprintable characters of a JSON text. They occur only in strings, where the escape has the
// same meaning.
func escapeUnprintable(text []byte) []byte {
	if !bytes.ContainsFunc(text, unprintable) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		switch {
		case !unprintable(r):
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

func unprintable(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
