package comparisons

// NodePools compares the nodes that pools would make.
var NodePools = &Comparison{
	Name: "Node pools", Package: "nodepools", Test: "TestPools_AsKarpenterChooses", Cases: 500, Unit: "NodePools, machines, pods that wait and daemon sets",
	Compares: "The nodes that an answer has pools add, with those of the scheduler of Karpenter 1.13, which runs in a process of its own: which pools are taken, and which pods none takes.",
	Differences: []Difference{
		{
			Upstream: "leaves a node's machine open until all pods are placed",
			Orrery:   "takes the machine that holds most of the pods that wait, and of these the cheapest",
			Compared: "not in how many nodes there are; the test says how often they are as many",
		},
		{
			Upstream: "gives a pod no node that is being made and has a taint that rather keeps it away, as long as another pool takes it",
			Orrery:   "gives it that node, as the scheduler would",
			Compared: "without such taints; which pool is then taken first, core/answers/pool tests",
		},
		{
			Upstream: "has a node carry a label that its pool does not declare, once one of its pods forbids a value of it and another requires one",
			Orrery:   "says that the pool's nodes have no such label",
			Compared: "without pods that forbid values of such labels",
		},
		{
			Upstream: "knows reserved and spot offerings and what a kubelet keeps, counts limits by the largest machine that a node may still be, and relaxes preferences one by one",
			Orrery:   "knows what a NodePool declares, and says what it does not know",
			Compared: "without them",
		},
	},
}
