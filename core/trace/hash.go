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

// Hash replaces names by hashes, the same name by the same hash wherever it stands, so that what referred to each other
// still does: a node and the pods on it, a label's value and the selector that asks for it. Without the salt a hash
// cannot be told from any other; nobody who has only the file can try names out.
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
//   - Names of drivers, provisioners and declared features; expressions and values of device attributes.
//   - Resource versions, quantities, ports, times.
//
// Decisions stay the same but where names themselves decide: ties that are broken by the order of names; a claim of an
// ephemeral volume, which is found by a name made of two others; disks that were migrated to CSI, as an annotation names
// their drivers; an extended resource that is named after a device
// class; and arguments in the configuration that name values, since the configuration is kept as it is.
type Hash struct {
	mac   hash.Hash
	known map[string]string
}

// NewHash makes a Hash of a salt, which should be random and kept apart from the files, or forgotten.
func NewHash(salt []byte) (*Hash, error) {
	const shortest = 8
	if len(salt) < shortest {
		return nil, errors.New("hashing names takes a salt of at least 8 bytes: with less, names can be found by trying them out")
	}
	return &Hash{mac: hmac.New(sha256.New, salt), known: map[string]string{}}, nil
}

// mostKnown bounds the memory of names that were hashed before.
const mostKnown = 1 << 18

// Name is what a name is replaced by. It is a valid name of anything: an h and 16 hexadecimal digits.
func (h *Hash) Name(name string) string {
	if name == "" {
		return ""
	}
	if hashed, ok := h.known[name]; ok {
		return hashed
	}
	h.mac.Reset()
	h.mac.Write([]byte(name))
	hashed := "h" + hex.EncodeToString(h.mac.Sum(nil)[:8])
	if len(h.known) >= mostKnown {
		clear(h.known)
	}
	h.known[name] = hashed
	return hashed
}

// value is what the value of a label is replaced by. Volumes that span zones have a label that lists them.
func (h *Hash) value(value string) string {
	if _, err := strconv.ParseInt(value, 10, 64); err == nil || value == "true" || value == "false" {
		return value
	}
	parts := strings.Split(value, "__")
	for i := range parts {
		parts[i] = h.Name(parts[i])
	}
	return strings.Join(parts, "__")
}

// image is what an image's name is replaced by. The tag that is meant when none is given is put there first, as the
// scheduler does when it compares names.
func (h *Hash) image(name string) string {
	if name == "" {
		return ""
	}
	if strings.LastIndex(name, ":") <= strings.LastIndex(name, "/") {
		name += ":latest"
	}
	return h.Name(name) + ":t"
}

// path replaces every part of a name that is made of parts.
func (h *Hash) path(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = h.Name(parts[i])
	}
	return strings.Join(parts, "/")
}

func (h *Hash) ref(r world.Ref) world.Ref {
	return world.Ref{Namespace: h.Name(r.Namespace), Name: h.Name(r.Name), UID: types.UID(h.Name(string(r.UID)))}
}

// hidden stands for a message that somebody might look for, rather than none.
const hidden = "hidden"

// body replaces what is not an object; a Writer hashes objects itself, after trimming them.
func (h *Hash) body(b Body) Body {
	switch b := b.(type) {
	case Input:
		switch ev := b.Event.(type) {
		case world.Ended:
			if ev.Outcome.Message != "" {
				ev.Outcome.Message = hidden
			}
			b.Event, b.Answers.Pod = ev, h.ref(b.Answers.Pod)
		case world.Asked:
			asked := world.Asked{}
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
