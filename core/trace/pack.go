package trace

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
)

// packing says how a block's contents are compressed. Every block names its own, so that a better one can be added
// without a new version of the format: a reader that does not know it says so.
type packing byte

const (
	stored   packing = 0
	deflated packing = 1
)

// packer compresses blocks, one after the other; none depends on another.
type packer struct {
	out     bytes.Buffer
	deflate *flate.Writer
}

// pack answers with the packed contents, valid until the next call. What does not get smaller is stored as it is.
func (p *packer) pack(contents []byte) (packing, []byte, error) {
	p.out.Reset()
	if p.deflate == nil {
		w, err := flate.NewWriter(&p.out, flate.BestSpeed)
		if err != nil {
			return stored, nil, err
		}
		p.deflate = w
	} else {
		p.deflate.Reset(&p.out)
	}
	if _, err := p.deflate.Write(contents); err != nil {
		return stored, nil, err
	}
	if err := p.deflate.Close(); err != nil {
		return stored, nil, err
	}
	if p.out.Len() >= len(contents) {
		return stored, contents, nil
	}
	return deflated, p.out.Bytes(), nil
}

// unpacker is the way back.
type unpacker struct {
	out     bytes.Buffer
	inflate io.ReadCloser
}

// unpack answers with the contents, which must have exactly the given size; valid until the next call. Memory grows
// with what really comes out, never by what size claims.
func (u *unpacker) unpack(by packing, packed []byte, size int) ([]byte, error) {
	switch by {
	case stored:
		if len(packed) != size {
			return nil, fmt.Errorf("a stored block has %d bytes and claims %d", len(packed), size)
		}
		return packed, nil
	case deflated:
	default:
		return nil, fmt.Errorf("a block is compressed in a way (%d) that this program does not know: use a newer one", by)
	}
	source := bytes.NewReader(packed)
	if u.inflate == nil {
		u.inflate = flate.NewReader(source)
	} else if err := u.inflate.(flate.Resetter).Reset(source, nil); err != nil {
		return nil, err
	}
	u.out.Reset()
	n, err := io.Copy(&u.out, io.LimitReader(u.inflate, int64(size)+1))
	if err != nil {
		return nil, fmt.Errorf("unpacking a block: %w", err)
	}
	if n != int64(size) {
		return nil, fmt.Errorf("a block unpacks to other than the %d bytes it claims", size)
	}
	return u.out.Bytes(), nil
}
