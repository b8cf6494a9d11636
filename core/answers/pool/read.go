package pool

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/safe/printable"
)

const (
	// maxFile bounds a file of pools.
	//
	//orrery:limit files; a file of node pools, in bytes; refused
	maxFile = 4 << 20
	// maxMax is the greatest number of nodes, or weight, of a pool.
	//
	//orrery:limit files; the maximum and the weight of a node pool in a file; refused
	maxMax = 100_000
)

// Read reads a file of pools: NodePools as YAML or JSON, as "kubectl get nodepools -o yaml" prints them, or lines. In each line are the name of
// a pool, a shape as [change.ParseShape] takes it, and perhaps max=NODES and weight=NUMBER; several lines of one name are several sizes of its
// machines. A # begins a comment.
func Read(file string, from io.Reader) ([]*Pool, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading pools of %q: %w", printable.Line(file, 200), err)
	case len(text) > maxFile:
		return nil, fmt.Errorf("reading pools of %q: it has more than %d MiB", printable.Line(file, 200), maxFile>>20)
	}
	read := readLines
	if bytes.Contains(text, []byte("apiVersion")) {
		read = readObjects
	}
	pools, err := read(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading pools of %q: %w", printable.Line(file, 200), err)
	case len(pools) == 0:
		return nil, fmt.Errorf("reading pools of %q: it has no pool", printable.Line(file, 200))
	}
	return pools, nil
}

func readLines(text []byte) ([]*Pool, error) {
	var pools []*Pool
	lines, number := bufio.NewScanner(bytes.NewReader(text)), 0
	lines.Buffer(nil, maxFile+1)
	for lines.Scan() {
		number++
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if err := addLine(&pools, fields); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return pools, lines.Err()
}

// addLine adds the size of machine that a line has to its pool.
func addLine(pools *[]*Pool, fields []string) error {
	if len(fields) < 2 {
		return errors.New(`the name of a pool and a shape are expected, as in "general cpu=16,memory=64Gi,zone=a max=10"`)
	}
	name := strings.TrimSuffix(fields[0], ":")
	i := slices.IndexFunc(*pools, func(p *Pool) bool { return p.Name == name })
	if i < 0 {
		if len(*pools) == maxPools {
			return fmt.Errorf("there are at most %d pools", maxPools)
		}
		i = len(*pools)
		*pools = append(*pools, &Pool{Name: name, Origin: "file"})
	}
	p := (*pools)[i]
	c, err := change.ParseShape(fields[1], 1)
	if err != nil {
		return err
	}
	node, err := c.NewNode("shape")
	if err != nil {
		return err
	}
	if len(p.Shapes) == maxShapes {
		return fmt.Errorf("pool %q has more than %d shapes", printable.Line(name, 60), maxShapes)
	}
	p.addShape(node)
	for _, word := range fields[2:] {
		key, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > maxMax {
			return fmt.Errorf("%q is not a number from 0 to %d", printable.Line(word, 60), maxMax)
		}
		switch key {
		case "max":
			p.Max = n
		case "weight":
			p.Weight = n
		default:
			return fmt.Errorf("%q is neither max=NODES nor weight=NUMBER", printable.Line(word, 60))
		}
	}
	return nil
}

// addShape adds a size of machine as a new node would be. Its taints are those of the pool.
func (p *Pool) addShape(node *v1.Node) {
	s := Shape{Name: node.Labels[v1.LabelInstanceTypeStable], Allocatable: node.Status.Allocatable, Labels: map[string]string{}, Told: true}
	for key, value := range node.Labels {
		switch key {
		case v1.LabelHostname:
		case v1.LabelTopologyZone:
			s.Zones = []string{value}
		default:
			s.Labels[key] = value
		}
	}
	for _, t := range node.Spec.Taints {
		if !slices.Contains(p.Taints, t) {
			p.Taints = append(p.Taints, t)
		}
	}
	p.Shapes = append(p.Shapes, s)
}
