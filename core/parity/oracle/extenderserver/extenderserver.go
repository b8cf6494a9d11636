// Package extenderserver has extenders that answer by rules, in the process of the scheduler that asks them.
package extenderserver

import (
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
	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// Rules are what an extender answers.
type Rules struct {
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

// Binding is a pod that an extender is to bind.
type Binding struct {
	Namespace, Name string
	UID             types.UID
	Node            string
}

// Handler returns an extender. Its number is its place in the configuration; bind is what it does to bind a pod.
func Handler(rules Rules, number int, bind func(Binding)) http.Handler {
	return handler{rules, number, bind}
}

// Connect has one of kube-scheduler's extenders ask a handler, without a network.
func Connect(httpExtender any, to http.Handler) {
	client := (*http.Client)(reflect.ValueOf(httpExtender).Elem().FieldByName("client").UnsafePointer())
	client.Transport = InProcess{to}
}

// InProcess sends requests to a handler.
type InProcess struct{ Handler http.Handler }

func (t InProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	t.Handler.ServeHTTP(w, r)
	return w.Result(), nil
}

type handler struct {
	Rules
	number int
	bind   func(Binding)
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
		h.bind(Binding{Namespace: args.PodNamespace, Name: args.PodName, UID: args.PodUID, Node: args.Node})
		write(w, extenderv1.ExtenderBindingResult{})
	}
}

// chosen reports whether a pod is one of those about which the extender fails in some way.
func (h handler) chosen(way, pod string, oneIn uint32) bool {
	return oneIn > 0 && hashOf(way, pod, fmt.Sprint(h.number))%oneIn == 0
}

func hashOf(texts ...string) uint32 {
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, strings.Join(texts, "/"))
	return hash.Sum32()
}

func (h handler) filter(args *extenderv1.ExtenderArgs) extenderv1.ExtenderFilterResult {
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

func (h handler) prioritize(args *extenderv1.ExtenderArgs) extenderv1.HostPriorityList {
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
func (h handler) preempt(args *extenderv1.ExtenderPreemptionArgs) extenderv1.ExtenderPreemptionResult {
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

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func read1[T any](r *http.Request) *T {
	value := new(T)
	must(json.NewDecoder(r.Body).Decode(value))
	return value
}

func write(w io.Writer, value any) { must(json.NewEncoder(w).Encode(value)) }
