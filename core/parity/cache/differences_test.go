package cache

// Difference is one place where the two caches are not compared, because ours is meant to answer otherwise.
type Difference struct{ Upstream, Ours, Test string }

// Differences is all of them.
var Differences = []Difference{
	{
		Upstream: "keeps a node's old place in the list when its zone changes, or when it is deleted and created again between two refreshes",
		Ours:     "the list follows the tree at every refresh",
		Test:     "order is compared with a fresh upstream snapshot always, and with the one kept up to date unless a node moved since they last agreed",
	},
	{
		Upstream: "ends the process when a bound pod is updated or removed on another node",
		Ours:     "returns a *CorruptionError and changes nothing",
		Test:     "is not sent to upstream; ours must refuse it and still agree afterwards",
	},
	{
		Upstream: "lists a node twice when it is added again in another zone",
		Ours:     "moves it",
		Test:     "a node that is there is added again only in its zone",
	},
	{
		Upstream: "leaves a node out of the list when pods came first and the node arrives as an update",
		Ours:     "lists it",
		Test:     "such a node arrives as an addition",
	},
	{
		Upstream: "trusts the caller's old version of a node or pod when it takes it out",
		Ours:     "takes out what it holds",
		Test:     "old versions are those the caches hold",
	},
	{
		Upstream: "takes out the old pod when it is updated to one with another UID or none",
		Ours:     "refuses the update",
		Test:     "an update keeps the UID",
	},
	{
		Upstream: "gives generations from a counter of the process, and a snapshot's can go back",
		Ours:     "the counter is the cache's own, and a snapshot's never goes back",
		Test:     "generations are not compared; what follows from them, which nodes a refresh copies, is, through the image counts",
	},
}
