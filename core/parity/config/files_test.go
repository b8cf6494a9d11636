package config

import (
	"fmt"
	"slices"
	"strings"

	"orrery/core/parity/difftest"
	"sigs.k8s.io/yaml"
)

type fields = map[string]any

var (
	housePlugins = []string{
		"SchedulingGates", "PrioritySort", "NodeName", "TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding",
		"PodTopologySpread", "InterPodAffinity", "DynamicResources", "DefaultPreemption", "NodeResourcesBalancedAllocation", "DefaultBinder",
	}
	pluginNames = append([]string{"Foreign", "Other", "AzureDiskLimits", "EBSLimits", ""}, housePlugins...)
	configured  = []string{
		"VolumeBinding", "DynamicResources", "NodeAffinity", "PodTopologySpread", "NodeResourcesFit", "DefaultPreemption",
		"InterPodAffinity", "NodeResourcesBalancedAllocation", "Foreign", "PrioritySort", "EBSLimits", "",
	}
	points = []string{
		"multiPoint", "multiPoint", "multiPoint", "preEnqueue", "queueSort", "queueSort", "preFilter", "filter", "postFilter",
		"preScore", "score", "reserve", "permit", "preBind", "bind", "postBind",
	}
	labelNames = []string{"example.com/gpu", "example.com/fpga", "cpu", "zone", "", "a/b/c", "-x", "UPPER", "kubernetes.io/hostname", "x y", "ü"}
	durations  = []any{"0s", "1s", "10s", "15s", "-1s", "999ms", "1h", "12s", "1m", "20s", "30s", 5}
)

// file draws a configuration: mostly valid, with edge values, and sometimes a decoding error.
func file(t *difftest.Source) []byte {
	doc := fields{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
	maybe(t, doc, "parallelism", 4, 16, 1, 0, -1)
	maybe(t, doc, "percentageOfNodesToScore", 3, 0, 50, 100, 101, -1)
	maybe(t, doc, "podInitialBackoffSeconds", 4, 1, 0, -1, 10, 11)
	maybe(t, doc, "podMaxBackoffSeconds", 4, 10, 1, 0, 100)
	maybe(t, doc, "enableProfiling", 3, true, false)
	maybe(t, doc, "enableContentionProfiling", 3, true, false)
	maybe(t, doc, "delayCacheUntilActive", 5, true, false)
	maybe(t, doc, "unheardOf", 30, 1, "x", nil)
	if chance(t, 3) {
		doc["leaderElection"] = leaderElection(t)
	}
	if chance(t, 3) {
		client := fields{}
		maybe(t, client, "qps", 2, 0, 0.5, 20, -1)
		maybe(t, client, "burst", 2, 0, 10, -1)
		maybe(t, client, "contentType", 2, "", "application/json")
		maybe(t, client, "kubeconfig", 2, "/etc/kubeconfig")
		doc["clientConnection"] = client
	}
	if chance(t, 4) {
		doc["extenders"] = list(t, 3, extender)
	}
	if !chance(t, 8) {
		profiles := list(t, 3, profile)
		for i, p := range profiles {
			if !chance(t, 15) {
				p.(fields)["schedulerName"] = fmt.Sprint("profile-", i)
			}
		}
		doc["profiles"] = profiles
	}
	return written(t, doc)
}

func written(t *difftest.Source, doc fields) []byte {
	text, err := yaml.Marshal(doc)
	if err != nil {
		t.Fatalf("writing a generated file: %v", err)
	}
	if chance(t, 3) {
		if text, err = yaml.YAMLToJSON(text); err != nil {
			t.Fatalf("writing a generated file: %v", err)
		}
		if chance(t, 10) {
			return slices.Concat([]byte(`{"parallelism":7,"extenders":null,`), text[1:])
		}
	} else if chance(t, 10) {
		text = append(text, "delayCacheUntilActive: true\n"...)
	}
	if chance(t, 20) {
		text = text[:t.Range(0, len(text))]
	}
	return text
}

func leaderElection(t *difftest.Source) fields {
	e := fields{}
	maybe(t, e, "leaderElect", 2, true, true, true, true, false, false, "yes")
	for _, name := range []string{"leaseDuration", "renewDeadline", "retryPeriod"} {
		maybe(t, e, name, 3, durations...)
	}
	maybe(t, e, "resourceLock", 4, "leases", "endpoints", "")
	maybe(t, e, "resourceName", 4, "", "mine")
	maybe(t, e, "resourceNamespace", 4, "", "mine")
	return e
}

func extender(t *difftest.Source) any {
	e := fields{"urlPrefix": "http://x"}
	for _, verb := range []string{"filterVerb", "preemptVerb", "prioritizeVerb", "bindVerb"} {
		maybe(t, e, verb, 3, "", "do")
	}
	maybe(t, e, "weight", 2, 0, 1, 5, -1)
	maybe(t, e, "httpTimeout", 4, durations...)
	maybe(t, e, "enableHTTPS", 4, true)
	maybe(t, e, "ignorable", 4, true)
	maybe(t, e, "nodeCacheCapable", 4, true)
	maybe(t, e, "tlsConfig", 6, fields{"insecure": true}, fields{"caData": "aGk="})
	if chance(t, 2) {
		e["managedResources"] = list(t, 3, func(t *difftest.Source) any {
			r := fields{"name": fmt.Sprintf("example.com/%d", t.IntN(50))}
			maybe(t, r, "name", 4, "cpu", "", "x y", "requests.a.b/c", "kubernetes.io/c", "a/b/c", "example.com/"+strings.Repeat("x", 64))
			maybe(t, r, "ignoredByScheduler", 3, true, false)
			return r
		})
	}
	return e
}

func profile(t *difftest.Source) any {
	p := fields{}
	maybe(t, p, "schedulerName", 2, "default-scheduler", "a", "b", "")
	maybe(t, p, "percentageOfNodesToScore", 4, 0, 100, 101)
	if chance(t, 2) {
		plugins := fields{}
		for range t.IntN(4) {
			plugins[oneOf(t, points)] = pluginSet(t)
		}
		p["plugins"] = plugins
	}
	if chance(t, 2) {
		p["pluginConfig"] = list(t, 3, pluginConfig)
	}
	return p
}

func pluginSet(t *difftest.Source) fields {
	set := fields{}
	if !chance(t, 3) {
		set["enabled"] = list(t, 3, func(t *difftest.Source) any {
			p := fields{"name": oneOf(t, pluginNames)}
			maybe(t, p, "weight", 2, 0, 1, 7, -1)
			return p
		})
	}
	if !chance(t, 3) {
		set["disabled"] = list(t, 2, func(t *difftest.Source) any {
			p := fields{"name": oneOf(t, append([]string{"*", "*"}, pluginNames...))}
			maybe(t, p, "weight", 9, 3)
			return p
		})
	}
	return set
}

func pluginConfig(t *difftest.Source) any {
	name := oneOf(t, configured)
	pc := fields{"name": name}
	if chance(t, 10) {
		return pc
	}
	args, known := argsOf[name]
	if !known {
		args = func(*difftest.Source, fields) {}
	}
	a := fields{}
	args(t, a)
	maybe(t, a, "unheardOf", 30, 1)
	maybe(t, a, "kind", 12, name+"Args", name+"Args", "NodeAffinityArgs", "Nothing")
	maybe(t, a, "apiVersion", 25, "kubescheduler.config.k8s.io/v1", "kubescheduler.config.k8s.io/v1beta3", "v1")
	pc["args"] = a
	if chance(t, 30) {
		pc["args"] = pick[any](t, nil, "text", []any{1}, 3)
	}
	return pc
}

var argsOf = map[string]func(*difftest.Source, fields){
	"DefaultPreemption": func(t *difftest.Source, a fields) {
		maybe(t, a, "minCandidateNodesPercentage", 1, 0, 10, 100, 101, -1)
		maybe(t, a, "minCandidateNodesAbsolute", 1, 0, 1, -1)
	},
	"InterPodAffinity": func(t *difftest.Source, a fields) {
		maybe(t, a, "hardPodAffinityWeight", 1, 0, 1, 100, 101, -1)
		maybe(t, a, "ignorePreferredTermsOfExistingPods", 2, true, false)
	},
	"NodeAffinity": func(t *difftest.Source, a fields) {
		expressions := list(t, 2, func(t *difftest.Source) any {
			e := fields{"key": pick(t, labelNames...)}
			maybe(t, e, "operator", 1, "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Near", "")
			maybe(t, e, "values", 1, []any{}, []any{"a"}, []any{"1"}, []any{"a", "-"})
			return e
		})
		term := fields{}
		maybe(t, term, "matchExpressions", 1, expressions)
		maybe(t, term, "matchFields", 3, expressions, []any{fields{"key": "metadata.name", "operator": "In", "values": []any{"n"}}})
		added := fields{}
		maybe(t, added, "requiredDuringSchedulingIgnoredDuringExecution", 1, fields{"nodeSelectorTerms": []any{term}}, fields{"nodeSelectorTerms": []any{}}, fields{"nodeSelectorTerms": []any{term, term}})
		maybe(t, added, "preferredDuringSchedulingIgnoredDuringExecution", 1, []any{fields{"weight": 1, "preference": term}}, []any{fields{"weight": 0, "preference": term}}, []any{})
		maybe(t, a, "addedAffinity", 1, added)
	},
	"NodeResourcesFit": func(t *difftest.Source, a fields) {
		if chance(t, 2) {
			a["ignoredResources"] = list(t, 2, func(t *difftest.Source) any { return pick(t, labelNames...) })
			a["ignoredResourceGroups"] = list(t, 2, func(t *difftest.Source) any { return pick(t, labelNames...) })
		}
		strategy := fields{}
		maybe(t, strategy, "type", 1, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio", "Random", "")
		maybe(t, strategy, "resources", 1, resources(t))
		maybe(t, strategy, "requestedToCapacityRatio", 2, fields{"shape": shape(t)}, fields{})
		maybe(t, a, "scoringStrategy", 1, strategy)
	},
	"NodeResourcesBalancedAllocation": func(t *difftest.Source, a fields) { maybe(t, a, "resources", 1, resources(t)) },
	"PodTopologySpread": func(t *difftest.Source, a fields) {
		maybe(t, a, "defaultingType", 1, "System", "List", "List", "Mine", "")
		maybe(t, a, "defaultConstraints", 1, list(t, 3, func(t *difftest.Source) any {
			c := fields{}
			maybe(t, c, "maxSkew", 1, 1, 0, -1)
			maybe(t, c, "topologyKey", 1, "zone", "zone", "", "-x")
			maybe(t, c, "whenUnsatisfiable", 1, "DoNotSchedule", "ScheduleAnyway", "", "Never")
			maybe(t, c, "labelSelector", 5, fields{}, fields{"matchLabels": fields{"a": "b"}})
			return c
		}))
	},
	"VolumeBinding": func(t *difftest.Source, a fields) {
		maybe(t, a, "bindTimeoutSeconds", 1, 0, 600, -1)
		maybe(t, a, "shape", 2, shape(t))
	},
	"DynamicResources": func(t *difftest.Source, a fields) {
		maybe(t, a, "filterTimeout", 2, durations...)
		maybe(t, a, "bindingTimeout", 2, durations...)
	},
	"Foreign": func(t *difftest.Source, a fields) {
		maybe(t, a, "anything", 1, 1, "yes", 1.5, fields{"deep": []any{true, nil}})
	},
}

func resources(t *difftest.Source) []any {
	return list(t, 3, func(t *difftest.Source) any {
		r := fields{"name": pick(t, "cpu", "memory", "example.com/gpu")}
		maybe(t, r, "weight", 1, 0, 1, 100, 101, -1)
		return r
	})
}

func shape(t *difftest.Source) []any {
	next := 0
	return list(t, 3, func(t *difftest.Source) any {
		point := fields{"utilization": next, "score": pick(t, 0, 10, 5, 11, -1)}
		next += 50
		maybe(t, point, "utilization", 8, 0, 101, -1)
		return point
	})
}

// maybe sets a field once in oneIn times; the first value is the most likely.
func maybe(t *difftest.Source, f fields, name string, oneIn int, values ...any) {
	if chance(t, oneIn) {
		f[name] = pick(t, values...)
	}
}

// chance is true once in oneIn+1 times.
func chance(t *difftest.Source, oneIn int) bool { return t.OneIn(oneIn + 1) }

// pick returns the first value half of the time.
func pick[T any](t *difftest.Source, values ...T) T {
	if t.Bool() {
		return oneOf(t, values)
	}
	return values[0]
}

func oneOf[T any](t *difftest.Source, values []T) T { return difftest.Pick(t, values...) }

func list(t *difftest.Source, most int, item func(*difftest.Source) any) []any {
	items := make([]any, t.IntN(most+1))
	for i := range items {
		items[i] = item(t)
	}
	return items
}
