package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// YAML returns a value as YAML, its fields in the order of their names. Some characters are allowed in JSON and in no YAML
// text: those are escaped on the way.
func YAML(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(EscapeYAML(text))
}

// EscapeJSON escapes unprintable characters of a JSON text. They occur only in strings, where the escape has the same
// meaning.
func EscapeJSON(text []byte) []byte {
	return escape(text, func(out []byte, r rune) []byte {
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		return fmt.Appendf(out, `\u%04x`, r)
	})
}

// EscapeYAML escapes unprintable characters of a YAML or JSON text that is to be read as YAML, in which they may occur only
// in quoted strings. Unlike JSON, YAML knows no pairs of surrogates.
func EscapeYAML(text []byte) []byte {
	return escape(text, func(out []byte, r rune) []byte { return fmt.Appendf(out, `\U%08x`, r) })
}

func escape(text []byte, as func(out []byte, r rune) []byte) []byte {
	if !bytes.ContainsFunc(text, Unprintable) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		if Unprintable(r) {
			out = as(out, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// Unprintable tells whether a character is escaped in what a program reads. A line feed ends lines there and is kept.
func Unprintable(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
