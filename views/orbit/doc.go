// Package orbit is the geometry of the orrery: where on a grid of cells each node of a cluster is drawn.
//
//	zones: the zone of each node, in the snapshot's order
//	   │
//	[New] ─► Plan: Rings, one or more zones on each     ring.go, ellipse.go
//	           Bodies, on the rings' cells              bodies.go
//	           Hub, inside; Belt, outside
//
// All rings are ellipses of one shape around one centre. A node's place in the order is its angle, on whatever ring it is:
// the order begins right of the top and runs clockwise, and leaves a gap at the top for the rings' names. So the nodes that
// a search visited are a sector of all rings, and one straight line points at the next start index.
//
// A body has a cell of its own. It is one node, unless a ring has more nodes than cells: then the ring becomes a band of
// several tracks, and if these do not suffice either, a body is a run of adjacent nodes. The bodies' counts always add up
// to the number of nodes.
//
// [NewZones] makes the plan of a cluster that has too many nodes for that: every zone is a body, as large as it has nodes. They are on
// one ring around the hub, in the order of the zones; the nodes of all zones are mixed in the order, so that an angle is a zone's
// and not a node's.
//
// Everything is computed in integers: the same arguments give the same plan on every machine.
package orbit
