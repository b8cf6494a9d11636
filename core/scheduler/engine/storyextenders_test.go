package engine_test

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// addExtender adds an extender to the configuration, with an address of its name.
func (s *storyRun) addExtender(args []string) {
	fields := []string{fmt.Sprintf("urlPrefix: http://%s", args[0])}
	for _, arg := range args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "filter", "prioritize", "bind", "preempt":
			fields = append(fields, key+"Verb: "+key)
		case "weight":
			fields = append(fields, "weight: "+value)
		case "ignorable":
			fields = append(fields, "ignorable: true")
		case "names":
			fields = append(fields, "nodeCacheCapable: true")
		case "ignores":
			fields = append(fields, "managedResources: [{name: "+value+", ignoredByScheduler: true}]")
		default:
			s.t.Fatalf("unknown key %q of an extender", key)
		}
	}
	s.extenders += "- {" + strings.Join(fields, ", ") + "}\n"
}

// respond answers a call of an extender.
func (s *storyRun) respond(id world.EffectID, args []string) func(*player) {
	answer := &world.ExtenderAnswer{}
	if call, ok := s.players[0].effects[id].(world.CallExtender); ok {
		answer.AsObjects = !call.Request.NamesOnly
	}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		name, text, _ := strings.Cut(value, ":")
		text = strings.ReplaceAll(text, "_", " ")
		switch key {
		case "nodes":
			answer.Nodes = append(answer.Nodes, strings.Split(value, ",")...)
		case "failed":
			answer.Failed = append(answer.Failed, world.FailedNode{Node: name, Reason: text})
		case "unresolvable":
			answer.Failed = append(answer.Failed, world.FailedNode{Node: name, Reason: text, Unresolvable: true})
		case "score":
			score := world.HostScore{Host: name}
			_, _ = fmt.Sscan(text, &score.Score)
			answer.Scores = append(answer.Scores, score)
		case "victims":
			on := world.AnsweredVictims{Node: name}
			for _, pod := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
				on.Pods = append(on.Pods, types.UID("pod/default/"+pod))
			}
			answer.Victims = append(answer.Victims, on)
		case "error":
			answer.Error = strings.ReplaceAll(value, "_", " ")
		default:
			s.t.Fatalf("unknown key %q of an answer", key)
		}
	}
	return s.applyEvent(world.EffectDone{Effect: id, Outcome: world.Outcome{Answer: answer}})
}

func callText(a world.CallExtender) string {
	words := fmt.Sprintf("ask %s about %s", a.URL, a.Pod.Name)
	for _, node := range a.Request.Nodes {
		words += " " + node.Name
	}
	for _, on := range a.Request.Victims {
		var pods []string
		for _, pod := range on.Pods {
			pods = append(pods, pod.Name)
		}
		words += " " + on.Node + ":" + strings.Join(pods, ",")
	}
	return strings.TrimSpace(words + " " + a.Request.Node)
}
