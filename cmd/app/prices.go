package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"orrery/core/answers/capacity"
	"orrery/core/answers/price"
	"orrery/core/scheduler/engine"
)

// pricesFlags name what nodes cost.
type pricesFlags struct{ file, label string }

func (p *pricesFlags) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&p.file, "prices", "", "a `file` of prices: in each line the name of a node, an instance type or a label KEY=VALUE, and a number")
	c.Flags().StringVar(&p.label, "price-label", "", "the `key` of a label whose value is the price of a node")
}

// read returns the prices; nil if none are given.
func (p *pricesFlags) read() (*price.Prices, error) {
	switch {
	case p.file != "" && p.label != "":
		return nil, errors.New("--prices and --price-label: give one of them")
	case p.label != "":
		if err := checkLabelKey("--price-label", p.label); err != nil {
			return nil, err
		}
		return price.ByLabel(p.label), nil
	case p.file == "":
		return nil, nil
	}
	file, err := os.Open(p.file)
	if err != nil {
		return nil, fmt.Errorf("reading prices: %w", err)
	}
	defer file.Close()
	return price.Read(p.file, file)
}

// checkLabelKey refuses the value of a flag that is no key of a label; none is fine.
func checkLabelKey(flag, key string) error {
	if key == "" {
		return nil
	}
	if why := validation.IsQualifiedName(key); len(why) > 0 {
		return fmt.Errorf("%s %+q: it takes the key of a label, and %s", flag, key, why[0])
	}
	return nil
}

// priceDocument is a sum of prices.
type priceDocument struct {
	Total float64 `json:"total"`
	// Unknown counts the nodes without a price.
	Unknown int `json:"unknown"`
}

func priceOf(s price.Sum) priceDocument { return priceDocument{rounded(s.Total), s.Unknown} }

// pricesBeforeAfter is what the nodes of a cluster cost without and with what is asked.
type pricesBeforeAfter struct {
	// Before is without.
	Before priceDocument `json:"before"`
	// After is with.
	After priceDocument `json:"after"`
}

// pricesOf sums up the nodes of two engines; nil without prices.
func pricesOf(prices *price.Prices, before, after *engine.Engine) *pricesBeforeAfter {
	if prices == nil {
		return nil
	}
	sum := func(e *engine.Engine) priceDocument {
		var s price.Sum
		for info := range capacity.Nodes(e) {
			s.Add(prices, info.Node())
		}
		return priceOf(s)
	}
	return &pricesBeforeAfter{sum(before), sum(after)}
}

// String says both sums.
func (p *pricesBeforeAfter) String() string { return p.Before.String() + " -> " + p.After.String() }

// String says the sum, and what it lacks.
func (p priceDocument) String() string {
	return price.Sum{Total: p.Total, Unknown: p.Unknown}.String()
}
