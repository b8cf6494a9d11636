package trace

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// NameHasher replaces names by hashes, equal names by equal hashes, so that references still hold: from a pod to its
// node, from a selector to a label's value. Without the salt, a reader of the file cannot test guesses of names.
//
// # What is replaced
//
// Every text in an object that is not on the following list: names of objects, namespaces, UIDs, values of labels,
// annotations and selectors, images, addresses, names of claims, disks and holders of leases. Texts written for people
// (messages) are dropped.
//
// # What is kept, because decisions are made by it
//
//   - Keys: of labels, taints, tolerations, selectors and annotations, topology keys, names of resources.
//   - What is an enumeration in the API: phases, effects, operators, policies, conditions' types and reasons.
//   - Values that are whole numbers, as Gt and Lt compare them, and "true" and "false".
//   - Names of schedulers, as they have to match the configuration, and of priority classes that begin with "system-".
//   - Names of drivers, provisioners and declared features, also in annotations; expressions and values of device
//     attributes.
//   - Resource versions, quantities, ports, times.
//
// Decisions stay the same except where names decide: ties that the order of names breaks; the claim of an ephemeral
// volume, whose name is made of two others; disks of GCE that span zones, as their driver reads the region in the zones'
// names; an extended resource named after a device class; and arguments in the configuration that name values, since the
// configuration is kept unchanged.
type NameHasher struct {
	mac   hash.Hash
	cache map[string]string
}

// NewNameHasher makes a hasher from a salt, which should be random and either stored apart from the files or discarded.
func NewNameHasher(salt []byte) (*NameHasher, error) {
	const shortest = 8
	if len(salt) < shortest {
		return nil, errors.New("hashing names takes a salt of at least 8 bytes: with less, names can be found by trying them out")
	}
	return &NameHasher{mac: hmac.New(sha256.New, salt), cache: map[string]string{}}, nil
}

// maxCachedNames bounds the memory of hashed names.
//
//orrery:limit recordings; hashed names that are kept; all are forgotten, and made again
const maxCachedNames = 1 << 18

// Name returns the hash of a name, an h and 16 hexadecimal digits: a valid name for any object.
func (h *NameHasher) Name(name string) string {
	if name == "" {
		return ""
	}
	if hashed, ok := h.cache[name]; ok {
		return hashed
	}
	h.mac.Reset()
	h.mac.Write([]byte(name))
	hashed := "h" + hex.EncodeToString(h.mac.Sum(nil)[:8])
	if len(h.cache) >= maxCachedNames {
		clear(h.cache)
	}
	h.cache[name] = hashed
	return hashed
}

// labelValue hashes a label's value, or each part of it: the label of a volume that spans zones lists them.
func (h *NameHasher) labelValue(value string) string {
	if _, err := strconv.ParseInt(value, 10, 64); err == nil || value == "true" || value == "false" {
		return value
	}
	parts := strings.Split(value, "__")
	for i := range parts {
		parts[i] = h.Name(parts[i])
	}
	return strings.Join(parts, "__")
}

// image hashes an image's name. It adds the default tag first, as the scheduler does when it compares names.
func (h *NameHasher) image(name string) string {
	if name == "" {
		return ""
	}
	if strings.LastIndex(name, ":") <= strings.LastIndex(name, "/") {
		name += ":latest"
	}
	return h.Name(name) + ":t"
}

// path hashes every part of a slash-separated name.
func (h *NameHasher) path(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = h.Name(parts[i])
	}
	return strings.Join(parts, "/")
}

func (h *NameHasher) ref(r world.PodRef) world.PodRef {
	return world.PodRef{Namespace: h.Name(r.Namespace), Name: h.Name(r.Name), UID: types.UID(h.Name(string(r.UID)))}
}

// redactedMessage replaces a message that is not empty, so that it stays not empty.
const redactedMessage = "hidden"

// answer replaces the names in an extender's answer; a Writer hashes its objects itself.
func (h *NameHasher) answer(a *world.ExtenderAnswer) *world.ExtenderAnswer {
	hashed := *a
	if a.Error != "" {
		hashed.Error = redactedMessage
	}
	hashed.Nodes = mapEach(a.Nodes, h.Name)
	hashed.Failed = mapEach(a.Failed, func(f world.FailedNode) world.FailedNode {
		return world.FailedNode{Node: h.Name(f.Node), Reason: redactedMessage, Unresolvable: f.Unresolvable}
	})
	hashed.Scores = mapEach(a.Scores, func(s world.HostScore) world.HostScore {
		return world.HostScore{Host: h.Name(s.Host), Score: s.Score}
	})
	hashed.Victims = mapEach(a.Victims, func(on world.AnsweredVictims) world.AnsweredVictims {
		pods := mapEach(on.Pods, func(uid types.UID) types.UID { return types.UID(h.Name(string(uid))) })
		return world.AnsweredVictims{Node: h.Name(on.Node), Pods: pods, PDBViolations: on.PDBViolations}
	})
	return &hashed
}

func mapEach[T any](list []T, one func(T) T) []T {
	mapped := make([]T, len(list))
	for i := range list {
		mapped[i] = one(list[i])
	}
	return mapped
}

// hashBody replaces the names outside objects; a Writer hashes objects itself, after trimming them.
func (h *NameHasher) hashBody(b Body) Body {
	switch b := b.(type) {
	case Input:
		switch ev := b.Event.(type) {
		case world.EffectDone:
			if ev.Outcome.Message != "" {
				ev.Outcome.Message = redactedMessage
			}
			if ev.Outcome.Answer != nil {
				ev.Outcome.Answer = h.answer(ev.Outcome.Answer)
			}
			b.Event, b.Effect.Pod = ev, h.ref(b.Effect.Pod)
			if b.Effect.Verb.namesObject() {
				b.Effect.Detail = h.Name(b.Effect.Detail)
			}
		case world.ActivateRequest:
			asked := world.ActivateRequest{}
			for _, pod := range ev.Activate {
				asked.Activate = append(asked.Activate, types.NamespacedName{Namespace: h.Name(pod.Namespace), Name: h.Name(pod.Name)})
			}
			b.Event = asked
		}
		return b
	case Decision:
		b.Pod, b.Node, b.Nominated, b.Digest = h.ref(b.Pod), h.Name(b.Node), h.Name(b.Nominated), 0
		return b
	case Checkpoint:
		b.Digest = 0
		return b
	case Mark:
		b.Pod, b.Text = h.ref(b.Pod), ""
		return b
	}
	return b
}
