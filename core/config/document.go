package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MaxBytes is the largest configuration Load reads. These files are mounted from ConfigMaps, which cannot be larger.
const MaxBytes = 1 << 20

// inspectDocument checks the bytes before they are decoded: bad is an error that makes decoding pointless; repeated lists
// repeated mapping keys, if this is YAML.
func inspectDocument(data []byte) (repeated field.ErrorList, bad *field.Error) {
	if len(data) > MaxBytes {
		return nil, documentError("the file has %d bytes, more than the %d a configuration may have", len(data), MaxBytes)
	}
	if !utf8.Valid(data) {
		return nil, documentError("the file is not UTF-8 text: byte %d is not part of any character", firstInvalid(data))
	}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil, nil // JSON, which the decoder reads to its end and whose repeated fields it locates itself
	}
	documents := yaml.NewDecoder(bytes.NewReader(data))
	var first yaml.Node
	if err := documents.Decode(&first); errors.Is(err, io.EOF) || (err == nil && isEmpty(&first)) {
		return nil, documentError("the file is empty, it must hold a %s", kind)
	} else if err != nil {
		return nil, documentError("%v", err)
	}
	if first.Content[0].Kind != yaml.MappingNode {
		return nil, documentError("the file holds no fields, it must hold those of a %s", kind)
	}
	for {
		var next yaml.Node
		err := documents.Decode(&next)
		if errors.Is(err, io.EOF) {
			return repeatedKeys(nil, &first), nil
		}
		if err != nil || !isEmpty(&next) {
			return nil, documentError("the file holds more than one YAML document, of which only the first would count: put one configuration into one file")
		}
	}
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
