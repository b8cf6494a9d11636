package extender

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"orrery/core/objects/saturating"
	"orrery/core/safe/footprint"
	"orrery/core/world"
)

// A response has a part of the request: nodes, names of nodes, or victims, and reasons. So it is bounded by the request, and by
// MaxResponse: the nodes of a large cluster as objects take less.
const (
	//orrery:limit extenders; a response, in bytes; the call fails
	MaxResponse = 256 << 20
	//orrery:limit extenders; a response to a small request, in bytes; the call fails
	responseAnyway = 8 << 20
	//orrery:limit extenders; a response for each byte of its request, beyond 8 MiB, in bytes; the call fails
	responsePerByte = 4
)

// MostOf is how many bytes the response to a request of so many may have.
func MostOf(request int) int64 {
	return min(MaxResponse, responseAnyway+responsePerByte*int64(request))
}

// RequestBody is the JSON of a call.
func RequestBody(call world.CallExtender) ([]byte, error) {
	r := &call.Request
	switch call.Verb {
	case world.ExtenderBind:
		return json.Marshal(extenderv1.ExtenderBindingArgs{PodName: call.Pod.Name, PodNamespace: call.Pod.Namespace, PodUID: call.Pod.UID, Node: r.Node})
	case world.ExtenderPreempt:
		return json.Marshal(preemptionArgs(r))
	}
	if r.NamesOnly {
		return argsWithNames(r)
	}
	args := extenderv1.ExtenderArgs{Pod: r.Pod, Nodes: &v1.NodeList{}}
	for _, node := range r.Nodes {
		args.Nodes.Items = append(args.Nodes.Items, *node)
	}
	return json.Marshal(args)
}

func preemptionArgs(r *world.ExtenderRequest) extenderv1.ExtenderPreemptionArgs {
	args := extenderv1.ExtenderPreemptionArgs{Pod: r.Pod}
	if !r.NamesOnly {
		args.NodeNameToVictims = map[string]*extenderv1.Victims{}
		for _, on := range r.Victims {
			args.NodeNameToVictims[on.Node] = &extenderv1.Victims{Pods: on.Pods, NumPDBViolations: on.PDBViolations}
		}
		return args
	}
	args.NodeNameToMetaVictims = map[string]*extenderv1.MetaVictims{}
	for _, on := range r.Victims {
		meta := &extenderv1.MetaVictims{Pods: []*extenderv1.MetaPod{}, NumPDBViolations: on.PDBViolations}
		for _, pod := range on.Pods {
			meta.Pods = append(meta.Pods, &extenderv1.MetaPod{UID: string(pod.UID)})
		}
		args.NodeNameToMetaVictims[on.Node] = meta
	}
	return args
}

// Answer reads the response to a call, of so many bytes at most. Its texts are printable.
func Answer(call world.CallExtender, response io.Reader, most int64) (*world.ExtenderAnswer, error) {
	limited := &io.LimitedReader{R: response, N: most}
	plain := &scanner{from: limited, text: takeText()}
	defer func() { keepText(plain.text) }()
	answer := plain.answer(&call)
	if answer == nil {
		var err error
		answer, err = decode(call, json.NewDecoder(plain.again()))
		if err != nil && limited.N <= 0 {
			return nil, fmt.Errorf("the response to %s is longer than %d MiB", call.URL, most>>20)
		}
		if err != nil {
			return answer, err
		}
	}
	answer.Error = Printable(answer.Error)
	for i := range answer.Failed {
		answer.Failed[i].Reason = Printable(answer.Failed[i].Reason)
	}
	return answer, nil
}

func decode(call world.CallExtender, from *json.Decoder) (*world.ExtenderAnswer, error) {
	switch call.Verb {
	case world.ExtenderFilter:
		var result extenderv1.ExtenderFilterResult
		var text json.RawMessage
		err := from.Decode(&text)
		if err == nil {
			err = checkNodes(text)
		}
		if err == nil {
			err = json.Unmarshal(text, &result)
		}
		return filterAnswer(&call.Request, &result), err
	case world.ExtenderPrioritize:
		var result extenderv1.HostPriorityList
		err := from.Decode(&result)
		answer := &world.ExtenderAnswer{Scores: make([]world.HostScore, 0, len(result))}
		for _, one := range result {
			answer.Scores = append(answer.Scores, world.HostScore(one))
		}
		return answer, err
	case world.ExtenderPreempt:
		var result extenderv1.ExtenderPreemptionResult
		if err := from.Decode(&result); err != nil {
			return nil, err
		}
		return preemptionAnswer(&result)
	default:
		var result extenderv1.ExtenderBindingResult
		err := from.Decode(&result)
		return &world.ExtenderAnswer{Error: result.Error}, err
	}
}

// Nodes in a response may take memoryAnyway, and memoryPerByte for each byte of it. Those of clusters take two or three.
const (
	memoryAnyway = 32 << 20
	//orrery:limit extenders; memory of the nodes in a response for each of its bytes, beyond 32 MiB, in bytes; the call fails
	memoryPerByte = 48
)

// checkNodes refuses a response with nodes as objects that take much memory or time to decode.
func checkNodes(response []byte) error {
	var taken struct{ Nodes nodesMemory }
	if err := json.Unmarshal(response, &taken); err != nil {
		return nil // which decoding tells better
	}
	if most := int64(memoryAnyway + memoryPerByte*len(response)); int64(taken.Nodes) > most {
		return fmt.Errorf("the nodes in a response of %d bytes take more than %d MiB of memory, or have a quantity that is no amount", len(response), most>>20)
	}
	return nil
}

// nodesMemory is what a list of nodes takes once it is decoded, each time that it is in a response.
type nodesMemory int64

var nodeListShape = footprint.Of(&v1.NodeList{})

func (m *nodesMemory) UnmarshalJSON(list []byte) error {
	*m = nodesMemory(saturating.Add(int64(*m), nodeListShape.JSON(list)))
	return nil
}

// filterAnswer keeps of returned objects what differs from those of the request.
func filterAnswer(r *world.ExtenderRequest, result *extenderv1.ExtenderFilterResult) *world.ExtenderAnswer {
	answer := &world.ExtenderAnswer{Error: result.Error}
	switch {
	case r.NamesOnly && result.NodeNames != nil:
		answer.Nodes = *result.NodeNames
	case result.Nodes != nil:
		answer.AsObjects = true
		sent := map[string]*v1.Node{}
		for _, node := range r.Nodes {
			sent[node.Name] = node
		}
		for i := range result.Nodes.Items {
			node := &result.Nodes.Items[i]
			answer.Nodes = append(answer.Nodes, node.Name)
			if !apiequality.Semantic.DeepEqual(sent[node.Name], node) {
				answer.Changed = append(answer.Changed, node)
			}
		}
	}
	for node, reason := range result.FailedAndUnresolvableNodes {
		answer.Failed = append(answer.Failed, world.FailedNode{Node: node, Reason: reason, Unresolvable: true})
	}
	for node, reason := range result.FailedNodes {
		if _, unresolvable := result.FailedAndUnresolvableNodes[node]; !unresolvable {
			answer.Failed = append(answer.Failed, world.FailedNode{Node: node, Reason: reason})
		}
	}
	slices.SortFunc(answer.Failed, func(a, b world.FailedNode) int { return cmp.Compare(a.Node, b.Node) })
	return answer
}

var errNoVictims = errors.New("a node's victims are null in the response")

func preemptionAnswer(result *extenderv1.ExtenderPreemptionResult) (*world.ExtenderAnswer, error) {
	answer := &world.ExtenderAnswer{}
	for _, node := range slices.Sorted(maps.Keys(result.NodeNameToMetaVictims)) {
		victims := result.NodeNameToMetaVictims[node]
		if victims == nil {
			return nil, errNoVictims
		}
		on := world.AnsweredVictims{Node: node, PDBViolations: victims.NumPDBViolations}
		for _, pod := range victims.Pods {
			if pod == nil {
				return nil, errNoVictims
			}
			on.Pods = append(on.Pods, types.UID(pod.UID))
		}
		answer.Victims = append(answer.Victims, on)
	}
	return answer, nil
}
