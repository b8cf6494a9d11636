package assist

import (
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// tool is a question.
type tool struct {
	name, title, description string
	// parameters are what it takes besides source, at, kubernetes and budget.
	parameters []parameter
	// recordings says that only recordings can be asked, and as a whole.
	recordings bool
	// words are those of the command, before the flags of the source.
	words func(a arguments) []string
	input *jsonschema.Resolved
	asked *jsonschema.Schema
}

// parameter is an argument of a tool.
type parameter struct {
	name, description string
	required          bool
	// kind is string, boolean, number, array (of strings), or manifests, which are the standard input of the command.
	kind string
	// choices are the only values, if there are some.
	choices []string
}

// The parameters that several tools take.
var (
	namespace = parameter{name: "namespace", kind: "string", description: "the namespace; without it all, or the one that is found"}
	manifests = parameter{
		name: "manifests", kind: "manifests", required: true,
		description: "the objects, in YAML as kubectl takes it; the command that repeats the answer reads them from its standard input",
	}
	pod = parameter{name: "pod", kind: "string", required: true, description: "the name of the pod, or NAMESPACE/NAME"}
)

// tools are all questions.
func tools(o *Options) []*tool {
	var files []string
	for name := range sorted(o.Configurations) {
		files = append(files, name)
	}
	all := []*tool{
		{
			name: "pending", title: "Why are pods pending?",
			description: "Explains all pods that wait, grouped by owner and cause, the largest group first, with a change for each group that was tried on a copy of the cluster. Start here.",
			parameters:  []parameter{namespace, {name: "owner", kind: "string", description: "only the pods of this owner, as in deployment/web or job/batch"}},
			words:       func(a arguments) []string { return a.in("explain", a.optional("owner")...) },
		},
		{
			name: "explain_pod", title: "Why is a pod pending, or where it is?",
			description: "Explains one pod: what keeps it from which nodes, with evidence and stable reason codes, and the changes that would place it, each tried. With node: why not on that node, by plugin. With now: where a placed pod would go if it had no node.",
			parameters: []parameter{
				pod, namespace,
				{name: "node", kind: "string", description: "also say what every plugin returns for this node"},
				{name: "now", kind: "boolean", description: "of a pod with a node: where it would go today"},
			},
			words: func(a arguments) []string {
				words := a.in("explain", a.text("pod"))
				if node := a.text("node"); node != "" {
					words = flag(words, "node", node)
				}
				if a.truth("now") {
					words = insert(words, "--now")
				}
				return words
			},
		},
		{
			name: "explain_node", title: "What keeps waiting pods from a node?",
			description: "Says what keeps the pods that wait from one node.",
			parameters:  []parameter{{name: "node", kind: "string", required: true, description: "the name of the node"}},
			words:       func(a arguments) []string { return a.in("explain", "node/"+a.text("node")) },
		},
		{
			name: "explain_claim", title: "What does a PersistentVolumeClaim wait for?",
			description: "Says what a PersistentVolumeClaim is bound to or waits for, and which pods that keeps waiting.",
			parameters:  []parameter{{name: "claim", kind: "string", required: true, description: "the name of the claim, or NAMESPACE/NAME"}, namespace},
			words:       func(a arguments) []string { return a.in("explain", "pvc/"+a.text("claim")) },
		},
		{
			name: "explain_gangs", title: "What do the gangs of a workload wait for?",
			description: "Explains the gangs of a Workload, whose pods are bound together or not at all: what holds each back, whether it fits, and which other gangs are in its way.",
			parameters:  []parameter{{name: "workload", kind: "string", required: true, description: "the name of the Workload, or NAME/GROUP"}, namespace},
			words:       func(a arguments) []string { return a.in("explain", "workload/"+a.text("workload")) },
		},
		{
			name: "journey", title: "What happened to a pod in the scheduler?",
			description: "Lists a pod's way through the queue: attempts with their outcome, what rejected it, which event requeued it. Of a recording or an attached scheduler; a cluster that is only read has no past.",
			parameters:  []parameter{pod, namespace},
			words:       func(a arguments) []string { return a.in("journey", a.text("pod")) },
		},
		{
			name: "what_if", title: "What would happen to the pods?",
			description: "Makes changes to a copy of the cluster, lets the scheduler, the owners of pods and the disruption budgets carry on until nothing more happens, and says which pods fare otherwise. Nothing is changed in the cluster. Changes are written:\n" + o.Changes,
			parameters: []parameter{
				{name: "changes", kind: "array", required: true, description: "what is different, one change an item, as in \"drain node-1\" or \"requests shop/web-0 cpu=500m\""}, namespace,
			},
			words: func(a arguments) []string {
				return a.in("whatif", strings.Fields(strings.Join(a.list("changes"), ", "))...)
			},
		},
		{
			name: "fit", title: "Would these objects fit, before they are created?",
			description: "Creates the objects of manifests on a copy of the cluster: whether every pod gets a node, and which, whom they preempt, what budgets and quotas it costs; or why the first pod gets none. With count: how many pods of the one workload fit. With nodes: how few new nodes of a shape it takes. Nothing is created in the cluster.",
			parameters: []parameter{
				manifests, namespace,
				{name: "count", kind: "boolean", description: "how many pods of the workload fit, and what the next one lacks"},
				{name: "nodes", kind: "string", description: "how few new nodes of this shape are needed, as in cpu=16,memory=64Gi,zone=a"},
				{name: "like", kind: "string", description: "how few new nodes like this one are needed"},
			},
			words: func(a arguments) []string {
				words := insert(a.in("fit"), "--filename=-")
				if a.truth("count") {
					words = insert(words, "--count")
				}
				return a.flags(words, "nodes", "like")
			},
		},
		{
			name: "capacity", title: "What room is there, and how large may a pod be?",
			description: "Sums up what nodes have and what is requested of them, in all and by group; the largest pod that still fits on one node, how many more pods of the usual sizes, and how much room is in pieces too small. It is arithmetic: ask fit whether pods fit by all rules.",
			parameters:  []parameter{{name: "by", kind: "string", description: "group nodes by zone, type, pool or the key of a label"}},
			words:       func(a arguments) []string { return a.flags([]string{"capacity", "--"}, "by") },
		},
		{
			name: "consolidate", title: "Which nodes can be emptied?",
			description: "Looks for nodes whose pods all find places on the others, in which order they can be drained, where each pod lands, and what keeps the other nodes. Each step is tried on the copy of the cluster that the step before left.",
			parameters: []parameter{
				{name: "free", kind: "number", description: "how many nodes are enough; without it as many as can be found"},
				{name: "max_moves", kind: "number", description: "how many pods may be moved at most"},
				{name: "keep", kind: "string", description: "a label selector of nodes that are left alone"},
			},
			words: func(a arguments) []string {
				words := a.flags([]string{"consolidate", "--"}, "keep")
				for _, name := range []string{"free", "max_moves"} {
					if n := a.number(name); n != "" {
						words = flag(words, strings.ReplaceAll(name, "_", "-"), n)
					}
				}
				return words
			},
		},
		{
			name: "compare", title: "Which configuration, or release, does better?", recordings: true,
			description: "Schedules the arrivals of a recording again under several scheduler configurations, or releases of Kubernetes, and compares how long pods waited and how nodes were used, over three seeds.",
			parameters: []parameter{
				{name: "releases", kind: "array", description: "releases of Kubernetes to compare", choices: o.Releases},
				{name: "configurations", kind: "array", description: "scheduler configurations to compare", choices: append([]string{"default"}, files...)},
			},
			words: func(a arguments) []string {
				words := []string{"compare"}
				for _, r := range a.list("releases") {
					words = append(words, "--kubernetes="+r)
				}
				for _, name := range a.list("configurations") {
					if file, is := a.options.Configurations[name]; is {
						name = file
					}
					words = append(words, "--config="+name)
				}
				return words
			},
		},
		{
			name: "replay", title: "Would another release decide otherwise?", recordings: true,
			description: "Decides again what a recording holds, and says whether everything is decided as recorded; with kubernetes, by the rules of that release.",
			parameters:  []parameter{{name: "kubernetes", kind: "string", description: "the release of Kubernetes to decide as", choices: o.Releases}},
			words: func(a arguments) []string {
				words := []string{"replay"}
				if r := a.text("kubernetes"); r != "" {
					words = append(words, "--kubernetes="+r)
				}
				return words
			},
		},
		{
			name: "timeline", title: "What happened, and when?", recordings: true,
			description: "Describes a recording: its span, how much it holds, and its notable moments with their times: first failures, preemptions, evictions, changes of the leader. Ask the other tools at those times.",
			words:       func(arguments) []string { return []string{"trace", "info"} },
		},
	}
	for _, t := range all {
		t.prepare(o)
	}
	return all
}
