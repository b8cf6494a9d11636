package config

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bounds of a configuration with the aliases of YAML followed. A profile of two bytes becomes some thousand with its defaults,
// and a few lines of aliases can stand for any amount of text.
const (
	//orrery:limit files; names and values of a configuration, aliases followed; refused
	maxValues = 20_000
	//orrery:limit files; text of a configuration, aliases followed, in bytes; refused
	maxText = 4 << 20
)

// maxGates bounds a set of feature gates, each of which may be a line of an error. Kubernetes has some 200.
//
//orrery:limit files; feature gates that are set at once; refused
const maxGates = 1000

// size counts the names and values of a document, and the bytes of their text.
type size struct{ values, text int }

func (s *size) add(text int) *field.Error {
	if s.values++; s.values > maxValues {
		return documentError("the file has more than %d names and values, aliases followed, which is the most a configuration may have", maxValues)
	}
	if s.text += text; s.text > maxText {
		return documentError("the file has more than %d bytes of text, aliases followed, which is the most a configuration may have", maxText)
	}
	return nil
}

func (s *size) checkNode(n *yaml.Node) *field.Error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if bad := s.add(len(n.Value)); bad != nil {
		return bad
	}
	for _, inner := range n.Content {
		if bad := s.checkNode(inner); bad != nil {
			return bad
		}
	}
	return nil
}

// checkSizeOfJSON leaves what is no JSON to the decoder.
func checkSizeOfJSON(data []byte) *field.Error {
	var s size
	for tokens := json.NewDecoder(bytes.NewReader(data)); ; {
		token, err := tokens.Token()
		if err != nil {
			return nil
		}
		if end, ok := token.(json.Delim); ok && (end == ']' || end == '}') {
			continue
		}
		if bad := s.add(0); bad != nil {
			return bad
		}
	}
}
