package app

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"orrery/core/answers/pool"
	"orrery/core/answers/price"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/core/world/live"
)

// poolsFlags say which node pools there are, and whether they grow.
type poolsFlags struct {
	files     []string
	autoscale bool
}

const poolsHelp = `Node pools are the NodePools of Karpenter if the cluster has them, those of --pools, and those that labels of nodes tell of. A file of
--pools has NodePools as YAML, or lines as "general cpu=16,memory=64Gi,zone=a,type=m5.4xlarge max=10 weight=5". Which machines there are to have is
nothing that a pool declares: known are those of nodes that exist and of the file.`

func (p *poolsFlags) addFlags(c *cobra.Command) {
	c.Flags().StringArrayVar(&p.files, "pools", nil, "a `file` of node pools; may be given several times")
	c.Flags().BoolVar(&p.autoscale, "autoscale", false, "add the nodes that an autoscaler would make of the node pools for pods that wait")
}

// again is the flags as they are given again.
func (p *poolsFlags) again(c *cobra.Command) string {
	return strings.TrimRight(" "+repeatFlags(c, []string{"pools", "autoscale", "prices", "price-label"}), " ")
}

// read returns the pools that are known, with notes.
func (p *poolsFlags) read(c *cobra.Command, s *openedAt, e *engine.Engine) ([]*pool.Pool, []string, error) {
	var fromFiles []*pool.Pool
	for _, name := range p.files {
		file, err := os.Open(name)
		if err != nil {
			return nil, nil, fmt.Errorf("reading pools: %w", err)
		}
		found, err := pool.Read(name, file)
		file.Close()
		if err != nil {
			return nil, nil, err
		}
		fromFiles = append(fromFiles, found...)
	}
	objects, unread := readPools(c, s)
	pools, notes := pool.Known(e, fromFiles, objects)
	return pools, append(unread, notes...), nil
}

// readPools reads the objects of Karpenter from a cluster that has them.
func readPools(c *cobra.Command, s *openedAt) (objects []world.Object, notes []string) {
	if s.cluster == nil {
		return nil, nil
	}
	lists, unreadable, err := live.ReadOnce(c.Context(), s.cluster.client, []world.Kind{pool.NodePools, pool.NodeClaims})
	if err != nil {
		return nil, []string{"the node pools of Karpenter cannot be read: " + printable.Line(err.Error(), 200)}
	}
	for _, u := range unreadable {
		if u.Forbidden { // what is not served is no part of the cluster
			notes = append(notes, fmt.Sprintf("%s may not be read", u.Kind))
		}
	}
	for _, list := range lists {
		objects = append(objects, list.Objects...)
	}
	return objects, notes
}

// poolsDocument is what node pools have to do with an answer.
type poolsDocument struct {
	// Added are the nodes that are added, in order.
	Added []poolAddition `json:"added"`
	// Nodes counts them.
	Nodes int `json:"nodes"`
	// Price is what they cost together, if prices were given.
	Price *priceDocument `json:"price,omitempty"`
	// Refused are pods that no pool makes a node for, by what contradicts.
	Refused []poolRefusal `json:"refused"`
	// Unknown says of each pool what is not known.
	Unknown []poolUnknown `json:"unknown"`
}

// poolAddition is some nodes of a pool that are alike.
type poolAddition struct {
	// Pool is the pool's name.
	Pool string `json:"pool"`
	// Origin says what declares the pool.
	Origin string `json:"origin"`
	// Shape is the type or the size of the machines, and their zone.
	Shape string `json:"shape"`
	// Nodes counts them.
	Nodes int `json:"nodes"`
	// Change adds the same nodes with whatif.
	Change string `json:"change"`
}

// poolRefusal is some pods that no pool makes a node for.
type poolRefusal struct {
	// Pod is one of them.
	Pod podRef `json:"pod"`
	// Pods is how many are refused for the same.
	Pods int `json:"pods"`
	// Pools says of each pool, in their order, what contradicts.
	Pools []poolVerdict `json:"pools"`
}

// poolVerdict is whether a pool could take a pod.
type poolVerdict struct {
	// Pool is the pool's name.
	Pool string `json:"pool"`
	// Origin says what declares the pool.
	Origin string `json:"origin"`
	// Contradiction is the first thing that keeps the pod from the pool; empty if it could take it.
	Contradiction string `json:"contradiction,omitempty"`
}

// poolUnknown is what is not known of a pool.
type poolUnknown struct {
	// Pool is the pool's name.
	Pool string `json:"pool"`
	// Unknown has a text for each thing.
	Unknown []string `json:"unknown"`
}

func newPools(g *pool.Growth, pools []*pool.Pool, prices *price.Prices) *poolsDocument {
	d := &poolsDocument{Added: []poolAddition{}, Refused: []poolRefusal{}, Unknown: []poolUnknown{}, Nodes: g.Nodes()}
	var sum price.Sum
	for _, a := range g.Added {
		d.Added = append(d.Added, poolAddition{a.Pool.Name, a.Pool.Origin, a.Shape, a.Change.Count, a.Change.String()})
		if a.Priced {
			sum.Total += a.Price
		} else {
			sum.Unknown += a.Change.Count
		}
	}
	if prices != nil {
		cost := priceOf(sum)
		d.Price = &cost
	}
	for _, r := range g.Refusals {
		refusal := poolRefusal{Pod: refOf(r.All[0]), Pods: len(r.All), Pools: []poolVerdict{}}
		for _, v := range r.ByPool {
			refusal.Pools = append(refusal.Pools, poolVerdict{v.Pool.Name, v.Pool.Origin, v.Why})
		}
		d.Refused = append(d.Refused, refusal)
	}
	for _, p := range pools {
		if len(p.Unknown) > 0 {
			d.Unknown = append(d.Unknown, poolUnknown{p.Name, p.Unknown})
		}
	}
	return d
}
