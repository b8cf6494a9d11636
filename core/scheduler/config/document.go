package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/safe/printable"
)

// MaxBytes is the largest configuration Load reads. These files are mounted from ConfigMaps, which cannot be larger.
//
//orrery:limit files; a scheduler's configuration, in bytes; refused
const MaxBytes = 1 << 20

// inspectDocument checks the bytes before they are decoded: bad is an error that makes decoding pointless; repeated lists
// repeated mapping keys, if this is YAML.
func inspectDocument(data []byte) (repeated field.ErrorList, bad *field.Error) {
	if len(data) > MaxBytes {
		return nil, documentError("the file has %d bytes, more than the %d a configuration may have", len(data), MaxBytes)
	}
	if !utf8.Valid(data) {
		at := firstInvalid(data)
		line, _ := lineAt(data, at)
		return nil, documentError("the file is not UTF-8 text: byte %d, on line %d, is not part of any character", at, line)
	}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		if err := checkSizeOfJSON(data); err != nil {
			return nil, err
		}
		return nil, inspectJSON(data) // the decoder locates repeated fields itself
	}
	if at := printable.Control(data); at >= 0 {
		line, text := lineAt(data, at)
		return nil, documentError(`line %d: control characters are not allowed: "%s"`, line, text)
	}
	documents := yaml.NewDecoder(bytes.NewReader(data))
	var first yaml.Node
	if err := documents.Decode(&first); errors.Is(err, io.EOF) || (err == nil && isEmpty(&first)) {
		return nil, documentError("the file is empty, it must hold a %s", kind)
	} else if err != nil {
		return nil, documentError("%v", err)
	}
	if left := budget(); !left.TakeTree(&first) {
		return nil, tooLarge(left)
	}
	if first.Content[0].Kind != yaml.MappingNode {
		return nil, documentError("the file holds no fields, it must hold those of a %s", kind)
	}
	for {
		var next yaml.Node
		err := documents.Decode(&next)
		if errors.Is(err, io.EOF) {
			return repeatedKeys(nil, &first), notJSON(nil, &first)
		}
		if err != nil || !isEmpty(&next) {
			return nil, documentError("the file holds more than one YAML document, of which only the first would count: put one configuration into one file")
		}
	}
}

// inspectJSON locates a syntax error.
func inspectJSON(data []byte) *field.Error {
	var syntax *json.SyntaxError
	if !errors.As(json.Unmarshal(data, new(json.RawMessage)), &syntax) {
		return nil
	}
	line, text := lineAt(data, max(0, int(syntax.Offset)-1)) // the offset is that after the wrong byte
	return documentError(`line %d: %v: "%s"`, line, syntax, text)
}

// lineAt returns the number of the line with a byte, and the text around that in the line.
func lineAt(data []byte, at int) (number int, text string) {
	const before, after = 60, 20
	number = 1 + bytes.Count(data[:at], []byte("\n"))
	start, end := 1+bytes.LastIndexByte(data[:at], '\n'), len(data)
	if next := bytes.IndexByte(data[at:], '\n'); next >= 0 {
		end = at + next
	}
	return number, printable.Text(string(bytes.TrimSpace(data[max(start, at-before):min(end, at+after)])))
}

func firstInvalid(data []byte) int {
	at := 0
	for {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}

// isEmpty holds for a document of comments only, as a trailing "---" makes it.
func isEmpty(document *yaml.Node) bool {
	return len(document.Content) == 0 || document.Content[0].Tag == "!!null"
}

// notJSON returns the first value or key that cannot become JSON, for which the decoder gives no place.
func notJSON(path *field.Path, node *yaml.Node) *field.Error {
	switch node.Kind {
	case yaml.DocumentNode:
		return notJSON(path, node.Content[0])
	case yaml.SequenceNode:
		for i, item := range node.Content {
			if bad := notJSON(path.Index(i), item); bad != nil {
				return bad
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], node.Content[i+1]
			if key.Kind == yaml.MappingNode || key.Kind == yaml.SequenceNode {
				return field.Invalid(path, field.OmitValueType{}, fmt.Sprintf("line %d: the name of a field must be a word", key.Line))
			}
			if bad := notJSON(path.Child(key.Value), value); bad != nil {
				return bad
			}
		}
	case yaml.ScalarNode:
		var x float64
		if node.Tag == "!!float" && node.Decode(&x) == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return field.Invalid(path, node.Value, fmt.Sprintf("line %d: must be a finite number", node.Line))
		}
	}
	return nil
}

func repeatedKeys(path *field.Path, node *yaml.Node) field.ErrorList {
	var errs field.ErrorList
	switch node.Kind {
	case yaml.DocumentNode:
		return repeatedKeys(path, node.Content[0])
	case yaml.SequenceNode:
		for i, item := range node.Content {
			errs = append(errs, repeatedKeys(path.Index(i), item)...)
		}
	case yaml.MappingNode:
		seen := map[[2]string]bool{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], node.Content[i+1]
			at := path.Child(key.Value)
			if seen[[2]string{key.Tag, key.Value}] {
				errs = append(errs, &field.Error{
					Type: field.ErrorTypeDuplicate, Field: at.String(), BadValue: field.OmitValueType{},
					Detail: fmt.Sprintf("line %d: key %q already set in map", key.Line, key.Value),
				})
			}
			seen[[2]string{key.Tag, key.Value}] = true
			errs = append(errs, repeatedKeys(at, value)...)
		}
	}
	return errs
}
