package cache

import (
	"strings"
	"testing"

	"orrery/core/testing/mk"
)

// Every kind of damage that Check looks for is found.
// Shows CACHE-25.
func TestCheck_FindsDamage(t *testing.T) {
	tests := []struct {
		name   string
		damage func(*Cache)
		want   string
	}{
		{"links", func(c *Cache) { c.newest.older.newer = nil }, "disagree"},
		{"a node outside the map", func(c *Cache) { delete(c.entries, c.newest.name) }, "not in the map"},
		{"a stale stamp in front", func(c *Cache) { c.newest.info.generation = 0 }, "stands before"},
		{"a node outside the list", func(c *Cache) { c.unlink(c.newest) }, "in the list but"},
		{"a stamp never given out", func(c *Cache) { c.generation = 0 }, "latest one given out"},
		{"an imaginary node without pods", func(c *Cache) {
			e := c.entry("imaginary")
			c.writableInfo(e).generation = c.nextGeneration()
			c.moveToFront(e)
		}, "neither node nor pods"},
		{"another node", func(c *Cache) { c.entries["n1"].info.node = mk.Node("x").Obj() }, `holds node "x"`},
		{"requested", func(c *Cache) { c.entries["n1"].info.requested.AddScalar("gpu", 1) }, "requested is"},
		{"nonZeroRequested", func(c *Cache) { c.entries["n1"].info.nonZeroRequested.Memory++ }, "nonZeroRequested is"},
		{"allocatable", func(c *Cache) { c.entries["n1"].info.allocatable.AllowedPodNumber++ }, "allocatable is"},
		{"claims", func(c *Cache) { c.entries["n1"].info.pvcRefCounts["default/v"]++ }, "claims are"},
		{"ports", func(c *Cache) { c.entries["n1"].info.takePorts([]hostPort{{port: 9}}) }, "in use by no pod"},
		{"zone", func(c *Cache) { c.nodeTree.put("n1", "elsewhere") }, "under its zone"},
		{"a node in the tree only", func(c *Cache) { c.nodeTree.put("x", "") }, "the tree has 3"},
		{"images of a node", func(c *Cache) { c.entries["n1"].imageNames = nil }, "counted for 0 images"},
		{"nodes of an image", func(c *Cache) {
			s := c.images.states["app"]
			s.nodes++
			c.images.states["app"] = s
		}, "counted on 2 nodes"},
		{"an image of no node", func(c *Cache) { c.images.states["x"] = imageState{} }, "2 images known"},
		{"a pod under another UID", func(c *Cache) { c.pods.set("x", c.pods.get("pod/default/p")) }, "filed under"},
		{"a pod lost by the table", func(c *Cache) { c.pods.remove("pod/default/p") }, "1 pods on nodes, 0 in the table"},
		{"an assumed pod that is nowhere", func(c *Cache) { c.assumed["x"] = false }, "assumed but not"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New()
			c.AddNode(mk.Node("n1").Image(1, "app").Obj())
			c.AddNode(mk.Node("n2").Obj())
			mustAdd(t, c, mk.Pod("p").Node("n1").PVC("v").Obj())
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
			tt.damage(c)
			if got := errorText(c.Check()); !strings.Contains(got, tt.want) || !strings.HasPrefix(got, "check the cache: ") {
				t.Errorf("Check says %q, want something with %q", got, tt.want)
			}
		})
	}
}
