package memory

import (
	"fmt"

	"orrery/core/world"
)

// digest is a running FNV-1a hash.
type digest uint64

const (
	startDigest digest = 14695981039346656037
	digestPrime digest = 1099511628211
)

// Digest sums up every input delivered so far, to the last bit of every object: two runs with the same digest were the
// same run.
func (c *Cluster) Digest() string { return fmt.Sprintf("%016x", uint64(c.digest)) }

func (d *digest) bytes(b []byte) {
	h := *d
	for _, x := range b {
		h = (h ^ digest(x)) * digestPrime
	}
	*d = h
}

func (d *digest) text(s string) {
	d.number(uint64(len(s)))
	h := *d
	for i := range len(s) {
		h = (h ^ digest(s[i])) * digestPrime
	}
	*d = h
}

func (d *digest) number(n uint64) {
	h := *d
	for range 8 {
		h = (h ^ digest(n&0xff)) * digestPrime
		n >>= 8
	}
	*d = h
}

func (d *digest) input(in world.Input) {
	d.number(uint64(in.At.UnixNano()))
	switch e := in.Event.(type) {
	case world.Changed:
		d.number(uint64(e.Op))
		d.object(e.Object)
	case world.Listed:
		d.text(string(e.Kind))
		for _, o := range e.Objects {
			d.object(o)
		}
	case world.Ended:
		d.number(uint64(e.Effect))
		d.number(uint64(e.Outcome.Code))
		d.text(string(e.Outcome.Reason))
		d.text(e.Outcome.Message)
	case world.Asked:
		for _, pod := range e.Activate {
			d.text(pod.String())
		}
	}
}

// object adds an object in its protobuf form, in which maps are sorted.
func (d *digest) object(o world.Object) {
	raw, err := o.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		d.text(err.Error())
		return
	}
	d.bytes(raw)
}
