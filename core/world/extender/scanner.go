package extender

import (
	"bytes"
	"cmp"
	"io"
	"slices"

	"orrery/core/objects/nodenames"
	"orrery/core/world"
)

// scanner reads the responses that most extenders give: the fields of kube-scheduler's types, as they are spelled there, of names
// without escapes and small numbers. Everything else is left to encoding/json, which begins again.
//
// What it returns has no part of its text, which is for the next response then.
type scanner struct {
	from io.Reader
	text []byte // read so far
	at   int
	err  error // of reading
}

// again returns the response from its first byte.
func (s *scanner) again() io.Reader {
	read := bytes.NewReader(s.text)
	if s.err != nil {
		return io.MultiReader(read, failing{s.err})
	}
	return io.MultiReader(read, s.from)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// answer returns nil for a response that is left to encoding/json.
func (s *scanner) answer(call *world.CallExtender) *world.ExtenderAnswer {
	switch {
	case call.Verb == world.ExtenderPrioritize:
		return s.priorities(&call.Request)
	case call.Verb == world.ExtenderFilter && call.Request.NamesOnly:
		return s.filtered(&call.Request)
	}
	return nil
}

func (s *scanner) filtered(r *world.ExtenderRequest) *world.ExtenderAnswer {
	answer := &world.ExtenderAnswer{}
	var failed, unresolvable []world.FailedNode
	if !s.object(func(field []byte) bool {
		switch string(field) {
		case "NodeNames":
			answer.Nodes = nil
			return s.null() || s.names(r, &answer.Nodes)
		case "Nodes":
			return s.null()
		case "FailedNodes": // of two, encoding/json takes the nodes of both
			return failed == nil && (s.null() || s.failed(r, answer, &failed, false))
		case "FailedAndUnresolvableNodes":
			return unresolvable == nil && (s.null() || s.failed(r, answer, &unresolvable, true))
		case "Error":
			text, ok := s.plain()
			answer.Error = string(text)
			return ok
		}
		return false
	}) {
		return nil
	}
	if answer.Failed = failed; len(unresolvable) > 0 {
		answer.Failed = append(unresolvable, failed...)
	}
	if !distinct(answer.Failed) {
		return nil
	}
	return answer
}

// distinct sorts nodes by name, and reports whether each is there once.
func distinct(failed []world.FailedNode) bool {
	slices.SortFunc(failed, func(a, b world.FailedNode) int { return cmp.Compare(a.Node, b.Node) })
	for i := 1; i < len(failed); i++ {
		if failed[i].Node == failed[i-1].Node {
			return false
		}
	}
	return true
}

// names reads a list of names. Those of the request are not copied.
func (s *scanner) names(r *world.ExtenderRequest, to *[]string) bool {
	*to = make([]string, 0, r.Names.Len())
	sent := r.Names.Reader()
	return s.list(func() bool {
		names, read := sent.List(s.text[s.at:], *to)
		s.at += read
		name, ok := s.plain()
		if ok {
			names = append(names, sent.Name(name))
		}
		*to = names
		return ok
	})
}

// failed reads nodes with reasons. Names of the request are not copied, nor are reasons that follow their like.
func (s *scanner) failed(r *world.ExtenderRequest, passed *world.ExtenderAnswer, to *[]world.FailedNode, unresolvable bool) bool {
	sent, last := r.Names.Reader(), ""
	return s.object(func(node []byte) bool {
		name := sent.Name(node)
		reason, ok := s.plain()
		if string(reason) != last {
			last = string(reason)
		}
		if *to == nil {
			*to = make([]world.FailedNode, 0, max(1, r.Names.Len()-len(passed.Nodes)))
		}
		*to = append(*to, world.FailedNode{Node: name, Reason: last, Unresolvable: unresolvable})
		return ok
	})
}

func (s *scanner) priorities(r *world.ExtenderRequest) *world.ExtenderAnswer {
	answer := &world.ExtenderAnswer{Scores: make([]world.HostScore, 0, r.Names.Len())}
	sent := r.Names.Reader()
	if !s.list(func() bool {
		var score world.HostScore
		ok := s.expectedPriority(&sent, &score) || s.priority(&sent, &score)
		answer.Scores = append(answer.Scores, score)
		return ok
	}) {
		return nil
	}
	return answer
}

// expectedPriority reads the priority of the node that follows in the request, as Go encodes it. It reads nothing if there is
// another text.
func (s *scanner) expectedPriority(sent *nodenames.Reader, to *world.HostScore) bool {
	const host, score = `{"Host":`, `"Score":`
	began := s.at
	rest, ok := bytes.CutPrefix(s.text[s.at:], []byte(host))
	if !ok {
		return false
	}
	name, read := sent.Next(rest)
	if read == 0 || !bytes.HasPrefix(rest[read:], []byte(score)) {
		return false
	}
	to.Host, s.at = name, s.at+len(host)+read+len(score)
	if s.number(&to.Score) && s.take('}') {
		return true
	}
	*to, s.at = world.HostScore{}, began
	return false
}

func (s *scanner) priority(sent *nodenames.Reader, to *world.HostScore) bool {
	return s.object(func(field []byte) bool {
		switch string(field) {
		case "Host":
			host, ok := s.plain()
			to.Host = sent.Name(host)
			return ok
		case "Score":
			return s.number(&to.Score)
		}
		return false
	})
}
