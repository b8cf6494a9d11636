package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orrery/core/answers/change"
	"orrery/core/answers/pool"
	"orrery/core/answers/price"
	"orrery/core/answers/whatif"
)

// grownWhatIf is an evaluation with what pools and prices add to it.
type grownWhatIf struct {
	result *whatif.Result
	pools  *poolsDocument
	price  *pricesBeforeAfter
	notes  []string
}

// growing evaluates changes, with nodes of pools and with prices if these are asked for.
func growing(c *cobra.Command, s *openedAt, flags *poolsFlags, prices *price.Prices, changes []change.Change) (*grownWhatIf, error) {
	if len(flags.files) > 0 && !flags.autoscale {
		return nil, errors.New("--pools says which pools there are: add --autoscale, which has them add nodes")
	}
	if !flags.autoscale && prices == nil {
		a, err := evaluate(c, s, changes)
		return &grownWhatIf{result: a}, err
	}
	if slices.ContainsFunc(changes, func(c change.Change) bool { return c.Verb == change.Upgrade }) {
		return nil, errors.New("an upgrade is asked about without --autoscale and prices: it adds no node")
	}
	e, err := engineAt(s)
	if err != nil {
		return nil, err
	}
	g := &grownWhatIf{}
	var pools []*pool.Pool
	if flags.autoscale {
		if pools, g.notes, err = flags.read(c, s, e); err != nil {
			return nil, err
		}
	}
	p := newProgress(c, "asking what if")
	defer p.done()
	p.update(func() string { return "letting two copies of the cluster come to rest" })
	start, err := whatif.Begin(e, whatif.Options{})
	if err != nil {
		return nil, err
	}
	out, growth, err := pool.Ask(start, whatif.Question{Before: changes}, pools, prices)
	if err != nil {
		return nil, fmt.Errorf("asking what if with node pools: %w", err)
	}
	g.result, g.price = out.Result, pricesOf(prices, e, out.Engine())
	if flags.autoscale {
		g.pools = newPools(growth, pools, prices)
	}
	return g, nil
}

// into writes what was added into a document. Its changes are those that were made, and its command has those that were asked about.
func (g *grownWhatIf) into(c *cobra.Command, s *openedAt, doc *whatIfDocument, flags *poolsFlags, asked []change.Change) {
	doc.Pools, doc.Price = g.pools, g.price
	doc.Notes = append(doc.Notes, g.notes...)
	if g.pools != nil && g.pools.Nodes > 0 {
		doc.Summary += "; pools add " + countText(g.pools.Nodes, "node")
	}
	if flags.autoscale {
		doc.Command = s.again + change.ShellWords(asked)
	}
	doc.Command = strings.TrimRight(doc.Command, " ") + flags.again(c)
}
