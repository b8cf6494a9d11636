package config

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/safe/yamlnode"
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

// budget is what a configuration may have.
func budget() yamlnode.Budget { return yamlnode.Budget{Values: maxValues, Text: maxText} }

// tooLarge says what a configuration has too much of.
func tooLarge(left yamlnode.Budget) *field.Error {
	if left.Values < 0 {
		return documentError("the file has more than %d names and values, aliases followed, which is the most a configuration may have", maxValues)
	}
	return documentError("the file has more than %d bytes of text, aliases followed, which is the most a configuration may have", maxText)
}

// checkSizeOfJSON leaves what is no JSON to the decoder.
func checkSizeOfJSON(data []byte) *field.Error {
	left := budget()
	for tokens := json.NewDecoder(bytes.NewReader(data)); ; {
		token, err := tokens.Token()
		if err != nil {
			return nil
		}
		if end, ok := token.(json.Delim); ok && (end == ']' || end == '}') {
			continue
		}
		if !left.Take(0) {
			return tooLarge(left)
		}
	}
}
