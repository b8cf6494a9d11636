package cycle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"

	"orrery/core/world"
	"orrery/core/world/extender"
)

// extenderCase is what an extender answers. Both schedulers have one of their own, in the process, that answers the same.
type extenderCase struct {
	// Refused and Unresolvable are the nodes that fail, Dropped those that it returns in no list, also of victims.
	Refused      []string `json:"refused,omitempty"`
	Unresolvable []string `json:"unresolvable,omitempty"`
	Dropped      []string `json:"dropped,omitempty"`
	// For one in so many pods, unless 0, it answers with a status, with an error or without victims, or with a node or a victim that
	// it was not asked about.
	Breaks  uint32 `json:"breaks,omitempty"`
	Errs    uint32 `json:"errs,omitempty"`
	Invents uint32 `json:"invents,omitempty"`
}

// addExtenders draws extenders. Each gives every node another score, far apart, so that no two nodes are equally good:
// of such kube-scheduler chooses a random one.
func (g *generator) addExtenders() {
	if !g.often(extenders, 12) {
		return
	}
	for i := range 1 + g.IntN(2) {
		c := configv1.Extender{
			URLPrefix: fmt.Sprintf("http://extender-%d", i), PrioritizeVerb: "prioritize", Weight: pick[int64](g, 1, 1, 3),
			NodeCacheCapable: g.oneIn(2), Ignorable: g.oneIn(3),
		}
		if !g.oneIn(5) {
			c.FilterVerb = "filter"
		}
		if i == 0 && g.oneIn(3) {
			c.BindVerb = "bind"
		}
		if (g.about[preemption] || g.oneIn(2)) && !g.samplesCandidates() {
			c.PreemptVerb = "preempt"
		}
		if g.oneIn(3) {
			name := []string{"example.com/gpu", "other.org/licence"}[i]
			c.ManagedResources = []configv1.ExtenderManagedResource{{Name: name, IgnoredByScheduler: g.oneIn(2) && g.fitsEverywhere()}}
		}
		g.c.Config.Extenders = append(g.c.Config.Extenders, c)
		rules := extenderCase{}
		for _, node := range g.c.Nodes {
			switch g.IntN(10) {
			case 0, 1:
				rules.Refused = append(rules.Refused, node.Name)
			case 2:
				rules.Unresolvable = append(rules.Unresolvable, node.Name)
			case 3:
				rules.Dropped = append(rules.Dropped, node.Name)
			}
		}
		for _, often := range []*uint32{&rules.Breaks, &rules.Errs, &rules.Invents} {
			if g.oneIn(4) {
				*often = pick[uint32](g, 2, 3, 5)
			}
		}
		g.c.Extenders = append(g.c.Extenders, rules)
	}
}

// fitsEverywhere reports whether every profile has NodeResourcesFit. Without it Orrery rejects a configuration with ignored
// resources when it is read, and kube-scheduler when it starts.
func (g *generator) fitsEverywhere() bool {
	return !slices.ContainsFunc(g.c.Config.Profiles, func(p configv1.KubeSchedulerProfile) bool {
		return p.Plugins != nil && slices.ContainsFunc(p.Plugins.MultiPoint.Disabled, func(d configv1.Plugin) bool { return d.Name == "NodeResourcesFit" })
	})
}

// samplesCandidates reports whether the dry run of a profile's preemption ends before the last node: then kube-scheduler asks about
// random nodes.
func (g *generator) samplesCandidates() bool {
	return slices.ContainsFunc(g.c.Config.Profiles, func(p configv1.KubeSchedulerProfile) bool {
		return slices.ContainsFunc(p.PluginConfig, func(c configv1.PluginConfig) bool { return c.Name == "DefaultPreemption" })
	})
}

// extenderHandlers are the extenders of one side; bind is what they do to bind a pod.
func (p *decisionCase) extenderHandlers(bind func(world.Bind)) []http.Handler {
	var handlers []http.Handler
	for i := range p.settings.orreryConfig.Extenders {
		rules := extenderCase{} // a reduced case may have fewer rules than extenders
		if i < len(p.extenders) {
			rules = p.extenders[i]
		}
		handlers = append(handlers, extenderHandler{rules, i, bind})
	}
	return handlers
}

type extenderHandler struct {
	extenderCase
	number int
	bind   func(world.Bind)
}

func (h extenderHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/filter":
		args := read1[extenderv1.ExtenderArgs](r)
		if h.chosen("breaks", args.Pod.Name, h.Breaks) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		write(w, h.filter(args))
	case "/prioritize":
		args := read1[extenderv1.ExtenderArgs](r)
		write(w, h.prioritize(args))
	case "/preempt":
		args := read1[extenderv1.ExtenderPreemptionArgs](r)
		if h.chosen("breaks", args.Pod.Name, h.Breaks) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		write(w, h.preempt(args))
	default:
		args := read1[extenderv1.ExtenderBindingArgs](r)
		if h.chosen("errs", args.PodName, h.Errs) {
			write(w, extenderv1.ExtenderBindingResult{Error: "the binder says no"})
			return
		}
		h.bind(world.Bind{Pod: world.PodRef{Namespace: args.PodNamespace, Name: args.PodName, UID: args.PodUID}, Node: args.Node})
		write(w, extenderv1.ExtenderBindingResult{})
	}
}

// chosen reports whether a pod is one of those about which the extender fails in some way.
func (h extenderHandler) chosen(way, pod string, oneIn uint32) bool {
	return oneIn > 0 && hashOf(way, pod, fmt.Sprint(h.number))%oneIn == 0
}

func hashOf(texts ...string) uint32 {
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, strings.Join(texts, "/"))
	return hash.Sum32()
}

func (h extenderHandler) filter(args *extenderv1.ExtenderArgs) extenderv1.ExtenderFilterResult {
	result := extenderv1.ExtenderFilterResult{FailedNodes: extenderv1.FailedNodesMap{}, FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{}}
	if h.chosen("errs", args.Pod.Name, h.Errs) {
		result.Error = "the extender says no"
		return result
	}
	passes := func(node string) bool {
		switch {
		case slices.Contains(h.Refused, node):
			result.FailedNodes[node] = "refused by the extender"
		case slices.Contains(h.Unresolvable, node):
			result.FailedNodes[node], result.FailedAndUnresolvableNodes[node] = "refused by the extender", "refused for good"
		default:
			return !slices.Contains(h.Dropped, node)
		}
		return false
	}
	invents := h.chosen("invents", args.Pod.Name, h.Invents)
	if args.NodeNames != nil {
		names := slices.DeleteFunc(*args.NodeNames, func(name string) bool { return !passes(name) })
		if invents {
			names = append(names, "nowhere")
		}
		result.NodeNames = &names
		return result
	}
	result.Nodes = &v1.NodeList{Items: slices.DeleteFunc(args.Nodes.Items, func(node v1.Node) bool { return !passes(node.Name) })}
	for i := range result.Nodes.Items {
		if invents { // another label changes the scores
			result.Nodes.Items[i].Labels = map[string]string{v1.LabelHostname: result.Nodes.Items[i].Name, "disk": "ssd"}
		}
	}
	return result
}

func (h extenderHandler) prioritize(args *extenderv1.ExtenderArgs) extenderv1.HostPriorityList {
	var names []string
	if args.NodeNames != nil {
		names = *args.NodeNames
	} else {
		for i := range args.Nodes.Items {
			names = append(names, args.Nodes.Items[i].Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return int(int64(hashOf(a)) - int64(hashOf(b))) })
	list := extenderv1.HostPriorityList{}
	apart := []int64{100_000, 1_000_000_000}[h.number]
	for rank, name := range names {
		list = append(list, extenderv1.HostPriority{Host: name, Score: int64(rank) * apart})
	}
	return list
}

// preempt drops nodes, and changes the victims on some of the others.
func (h extenderHandler) preempt(args *extenderv1.ExtenderPreemptionArgs) extenderv1.ExtenderPreemptionResult {
	result := map[string]*extenderv1.MetaVictims{}
	for node, victims := range onlyUIDs(args) {
		if slices.Contains(h.Dropped, node) {
			continue
		}
		switch hashOf("victims", node, fmt.Sprint(h.number)) % 5 {
		case 0:
			slices.Reverse(victims.Pods)
		case 1:
			victims.Pods = victims.Pods[:max(1, len(victims.Pods)-1)]
		case 2:
			victims.NumPDBViolations++
		}
		result[node] = victims
	}
	if len(result) == 0 {
		return extenderv1.ExtenderPreemptionResult{}
	}
	first := slices.Min(slices.Collect(maps.Keys(result)))
	switch pod := args.Pod.Name; {
	case h.chosen("errs", pod, h.Errs):
		result[first] = &extenderv1.MetaVictims{}
	case h.chosen("invents", pod, h.Invents) && h.chosen("invents a pod", pod, 2):
		result[first].Pods = append(result[first].Pods, &extenderv1.MetaPod{UID: "of nowhere"})
	case h.chosen("invents", pod, h.Invents):
		result["nowhere"] = result[first]
	}
	return extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: result}
}

func onlyUIDs(args *extenderv1.ExtenderPreemptionArgs) map[string]*extenderv1.MetaVictims {
	if args.NodeNameToMetaVictims != nil {
		return args.NodeNameToMetaVictims
	}
	all := map[string]*extenderv1.MetaVictims{}
	for node, victims := range args.NodeNameToVictims {
		all[node] = &extenderv1.MetaVictims{NumPDBViolations: victims.NumPDBViolations}
		for _, pod := range victims.Pods {
			all[node].Pods = append(all[node].Pods, &extenderv1.MetaPod{UID: string(pod.UID)})
		}
	}
	return all
}

func read1[T any](r *http.Request) *T {
	value := new(T)
	must(json.NewDecoder(r.Body).Decode(value))
	return value
}

func write(w io.Writer, value any) { must(json.NewEncoder(w).Encode(value)) }

// serveExtenders makes kube-scheduler's extenders call the case's, without a network.
func (p *decisionCase) serveExtenders(all []fwk.Extender, client *recordingClient) {
	handlers := p.extenderHandlers(func(bound world.Bind) {
		pods{client: client, namespace: bound.Pod.Namespace}.write(bound.Pod.Name, apiCall{bind: bound.Node})
	})
	for _, x := range all {
		number := slices.IndexFunc(p.settings.orreryConfig.Extenders, func(c configv1.Extender) bool { return c.URLPrefix == x.Name() })
		http := (*http.Client)(reflect.ValueOf(x.(*scheduler.HTTPExtender)).Elem().FieldByName("client").UnsafePointer())
		http.Transport = inProcess{handlers[number]}
	}
}

// inProcess sends requests to a handler.
type inProcess struct{ handler http.Handler }

func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	t.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

// askExtenders answers the calls of extenders that have been made, and reports whether there were any.
func (u *orreryScheduler) askExtenders() bool {
	u.carryOutEffects()
	asked := u.asked
	u.asked = nil
	for _, f := range asked {
		u.apply(world.EffectDone{Effect: f.ID, Outcome: u.answer(f.Action.(world.CallExtender))})
	}
	u.carryOutEffects()
	return len(asked) > 0
}

func (u *orreryScheduler) answer(call world.CallExtender) world.Outcome {
	u.seen.Count("extenders asked to %v", call.Verb)
	body, err := extender.RequestBody(call)
	must(err)
	request, err := http.NewRequest(http.MethodPost, call.URL, bytes.NewReader(body))
	must(err)
	response, err := inProcess{u.extenders[call.Extender]}.RoundTrip(request)
	must(err)
	if response.StatusCode != http.StatusOK {
		return world.Outcome{Code: fwk.Error, Message: fmt.Sprintf("failed %v with extender at URL %v, code %v", call.Verb, call.URL, response.StatusCode)}
	}
	answer, err := extender.Answer(call, response.Body, extender.MaxResponse)
	if err != nil {
		return world.Outcome{Code: fwk.Error, Message: err.Error()}
	}
	return world.Outcome{Answer: answer}
}
