package change

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// shortLabels are short names of labels that describe a node.
var shortLabels = map[string]string{
	"zone": v1.LabelTopologyZone, "region": v1.LabelTopologyRegion, "type": v1.LabelInstanceTypeStable, "arch": v1.LabelArchStable, "os": v1.LabelOSStable,
}

// defaultPods is how many pods a node takes that says nothing else: the kubelet's default.
const defaultPods = "110"

// taintTrait begins a taint among the traits of a shape.
const taintTrait = "taint="

// ParseShape returns the change that adds so many nodes of a shape, written as "cpu=16,memory=64Gi,zone=a". It is read as a change's words
// are.
func ParseShape(text string, n int) (Change, error) {
	words := slices.Concat([]string{"add", "nodes", fmt.Sprint(n)}, strings.FieldsFunc(text, func(r rune) bool { return r == ',' }))
	return Parse(words)
}

// parseShape reads "N NAME=VALUE...": resources, labels, and taints as taint=KEY=VALUE:EFFECT.
func (c *Change) parseShape(words []string) error {
	if len(words) < 2 {
		return errors.New("a number and what each node has should follow")
	}
	if err := c.parseCount(words[0], 1, maxNodes); err != nil {
		return err
	}
	var traits, names []string
	for _, word := range words[1:] {
		name, value, ok := strings.Cut(word, "=")
		key, _, _ := strings.Cut(labelOf(word), "=")
		switch {
		case !ok || name == "" || value == "":
			return fmt.Errorf("%q is not NAME=VALUE", word)
		case slices.Contains(names, key):
			return fmt.Errorf("%q is written twice", name)
		case name != "taint":
			names = append(names, key)
		}
		switch {
		case isResource(name, value):
			request, err := parseAmount(name, value)
			if err != nil {
				return err
			}
			c.Requests = append(c.Requests, request)
			continue
		case name == "taint": // a node may have several
			if _, err := parseTaint(value); err != nil {
				return err
			}
		default:
			if _, _, err := parseLabel(labelOf(word)); err != nil {
				return err
			}
		}
		traits = append(traits, word)
	}
	c.Traits = strings.Join(traits, " ")
	if !slices.ContainsFunc(c.Requests, func(r Request) bool { return r.Resource == v1.ResourceCPU }) {
		return errors.New("a node without cpu takes no pod: say how many, as in cpu=16")
	}
	return nil
}

// isResource tells a resource from a label: an extended resource has a prefix and a whole number.
func isResource(name, value string) bool {
	switch v1.ResourceName(name) {
	case v1.ResourceCPU, v1.ResourceMemory, v1.ResourcePods, v1.ResourceEphemeralStorage:
		return true
	}
	domain, _, prefixed := strings.Cut(name, "/")
	isLabel := strings.HasSuffix(domain, "kubernetes.io") || strings.HasSuffix(domain, "k8s.io")
	number := !strings.ContainsFunc(value, func(r rune) bool { return r < '0' || r > '9' })
	return strings.HasPrefix(name, v1.ResourceHugePagesPrefix) || prefixed && !isLabel && number
}

// labelOf writes out the short name of a label.
func labelOf(word string) string {
	name, value, _ := strings.Cut(word, "=")
	if long := shortLabels[name]; long != "" {
		return long + "=" + value
	}
	return word
}

func (c Change) shapeWords() []string {
	var words []string
	for _, r := range c.Requests {
		words = append(words, string(r.Resource)+"="+r.Amount)
	}
	return append(words, strings.Fields(c.Traits)...)
}

// NewNode returns a new node of the shape: ready and empty.
func (c Change) NewNode(name string) (*v1.Node, error) {
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			v1.LabelHostname: name, v1.LabelOSStable: "linux", v1.LabelArchStable: "amd64",
		}},
		Status: v1.NodeStatus{Capacity: v1.ResourceList{}, Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}},
	}
	for _, r := range append([]Request{{v1.ResourcePods, defaultPods}}, c.Requests...) {
		amount, err := resource.ParseQuantity(r.Amount)
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", r.Resource, r.Amount, err)
		}
		node.Status.Capacity[r.Resource] = amount
	}
	node.Status.Allocatable = node.Status.Capacity.DeepCopy()
	for word := range strings.FieldsSeq(c.Traits) {
		if text, is := strings.CutPrefix(word, taintTrait); is {
			taint, err := parseTaint(text)
			if err != nil {
				return nil, err
			}
			node.Spec.Taints = append(node.Spec.Taints, taint)
			continue
		}
		key, value, err := parseLabel(labelOf(word))
		if err != nil {
			return nil, err
		}
		node.Labels[key] = value
	}
	return node, nil
}

// ShapeOf returns the change that adds so many nodes like one that need not exist: with what it has, its labels but for its name, and its
// taints. What no change can be written with, as an empty label, is left out.
func ShapeOf(node *v1.Node, n int) (Change, error) {
	words := []string{"add", "nodes", fmt.Sprint(n)}
	for _, name := range slices.Sorted(maps.Keys(node.Status.Allocatable)) {
		amount := node.Status.Allocatable[name]
		if text := amount.String(); !amount.IsZero() && isResource(string(name), text) {
			words = append(words, string(name)+"="+text)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(node.Labels)) {
		word := key + "=" + node.Labels[key]
		if _, _, err := parseLabel(word); err == nil && key != v1.LabelHostname && node.Labels[key] != "" && !isResource(key, node.Labels[key]) && checkWord(word) == nil {
			words = append(words, word)
		}
	}
	for i := range node.Spec.Taints {
		t := &node.Spec.Taints[i]
		text := t.Key
		if t.Value != "" {
			text += "=" + t.Value
		}
		if word := taintTrait + text + ":" + string(t.Effect); checkWord(word) == nil {
			words = append(words, word)
		}
	}
	return Parse(words)
}
