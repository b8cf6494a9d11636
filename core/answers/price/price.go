// Package price knows what nodes cost: by a table that a person gives, or by a label that the nodes have. It makes nothing up: a node without
// a price has none, and a sum says how many are missing.
package price

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/printable"
)

// Prices are prices of nodes, in whatever currency and for whatever time they were given.
type Prices struct {
	// label is the key of a label whose value is a price; empty if there is none.
	label string
	// of has the price by the name of a node, by its instance type, or by a label as KEY=VALUE.
	of map[string]float64
}

const (
	// maxLines bounds a table of prices.
	//
	//orrery:limit files; lines of a file of prices; refused
	maxLines = 100_000
	// maxLineBytes bounds one line of it.
	//
	//orrery:limit files; a line of a file of prices, in bytes; refused
	maxLineBytes = 4096
	// most is the greatest price.
	most = 1e12
)

// ByLabel takes the value of a label for a node's price.
func ByLabel(key string) *Prices { return &Prices{label: key} }

// Read reads a table: in each line a name and a price, as "m5.large 0.096", also with a colon or an equals sign and a space after the name.
// The name is that of a node, an instance type, or a label as KEY=VALUE. A # begins a comment.
func Read(file string, from io.Reader) (*Prices, error) {
	p := &Prices{of: map[string]float64{}}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, maxLineBytes), maxLineBytes)
	number := 0
	fail := func(err error) (*Prices, error) {
		return nil, fmt.Errorf("reading prices of %q: line %d: %w", printable.Line(file, 200), number, err)
	}
	for lines.Scan() {
		if number++; number > maxLines {
			return fail(fmt.Errorf("a table has at most %d lines", maxLines))
		}
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return fail(fmt.Errorf(`a name and a price are expected, as in "m5.large 0.096", and not %d words`, len(fields)))
		}
		name := strings.Trim(strings.TrimRight(fields[0], ":="), `"'`)
		price, err := parse(fields[1])
		switch {
		case err != nil:
			return fail(err)
		case name == "":
			return fail(errors.New("the name is missing"))
		}
		if _, twice := p.of[name]; twice {
			return fail(fmt.Errorf("%q has a price already", printable.Line(name, 100)))
		}
		p.of[name] = price
	}
	if err := lines.Err(); err != nil {
		number++
		return fail(err)
	}
	if len(p.of) == 0 {
		return nil, fmt.Errorf("reading prices of %q: there is none in it", printable.Line(file, 200))
	}
	return p, nil
}

func parse(text string) (float64, error) {
	price, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(price) || price < 0 || price > most {
		return 0, fmt.Errorf("%q is not a price: write a number such as 0.096", printable.Line(text, 60))
	}
	return price, nil
}

// Of returns the price of a node: that of its name before that of its instance type, before that of a label.
func (p *Prices) Of(node *v1.Node) (float64, bool) {
	if p.label != "" {
		price, err := parse(node.Labels[p.label])
		return price, err == nil
	}
	for _, name := range []string{node.Name, node.Labels[v1.LabelInstanceTypeStable]} {
		if price, known := p.of[name]; known {
			return price, true
		}
	}
	// Of several labels with a price the lowest price counts, so that the answer is the same each time.
	lowest, known := 0.0, false
	for key, value := range node.Labels {
		if price, is := p.of[key+"="+value]; is && (!known || price < lowest) {
			lowest, known = price, true
		}
	}
	return lowest, known
}

// Sum is what some nodes cost together.
type Sum struct {
	Total float64
	// Unknown counts the nodes without a price.
	Unknown int
}

// Add adds a node.
func (s *Sum) Add(p *Prices, node *v1.Node) {
	if price, known := p.Of(node); known {
		s.Total += price
	} else {
		s.Unknown++
	}
}

// String says the sum, and what it lacks.
func (s Sum) String() string {
	text := strconv.FormatFloat(s.Total, 'f', 2, 64)
	if s.Unknown > 0 {
		text += fmt.Sprintf(" and %d without a price", s.Unknown)
	}
	return text
}
