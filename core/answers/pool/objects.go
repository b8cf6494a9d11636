package pool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"orrery/core/safe/yamlnode"
)

// maxValues bounds the values of a document, with aliases followed.
//
//orrery:limit files; values of a YAML document of node pools, with aliases followed; refused
const maxValues = 200_000

var errTooMuch = errors.New("it stands for more than can be read")

// readObjects reads NodePools, and lists of them, of all documents.
func readObjects(text []byte) ([]*Pool, error) {
	if !yamlnode.FewSeparators(text, maxValues) {
		return nil, errTooMuch
	}
	var pools []*Pool
	documents := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var document yaml.Node
		if err := documents.Decode(&document); errors.Is(err, io.EOF) {
			return pools, nil
		} else if err != nil {
			line, problem := yamlnode.Stopped(text, err)
			return nil, fmt.Errorf("line %d: %s", line, problem)
		}
		left := yamlnode.Budget{Values: maxValues, Text: maxFile}
		if !left.TakeTree(&document) {
			return nil, errTooMuch
		}
		var value any
		if err := document.Decode(&value); err != nil {
			return nil, err
		}
		asJSON, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("a document is not like an object of Kubernetes: %w", err)
		}
		found, err := poolsIn(asJSON)
		if err != nil {
			return nil, err
		}
		if pools = append(pools, found...); len(pools) > maxPools {
			return nil, fmt.Errorf("there are at most %d pools", maxPools)
		}
	}
}

// poolsIn returns the pool that an object is, or those of a list. Others are left out.
func poolsIn(text []byte) ([]*Pool, error) {
	var o struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, err
	}
	if o.Kind == "NodePool" {
		p, err := KarpenterPool(text)
		if err != nil {
			return nil, err
		}
		return []*Pool{p}, nil
	}
	var pools []*Pool
	for _, item := range o.Items {
		var inner struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(item, &inner); err != nil || inner.Kind != "NodePool" && o.Kind != "NodePoolList" {
			continue
		}
		p, err := KarpenterPool(item)
		if err != nil {
			return nil, err
		}
		pools = append(pools, p)
	}
	return pools, nil
}
