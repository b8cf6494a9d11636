package trace

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"

	faster "github.com/klauspost/compress/flate"
)

// packing is how a block's contents are compressed. Every block names its own, so that another one can be added without
// a new version of the format: a reader that does not know it returns an error.
type packing byte

const (
	uncompressed packing = 0
	deflate      packing = 1
)

// packer compresses blocks independently of each other.
type packer struct {
	out     bytes.Buffer
	deflate deflater
	// faster takes half the time for a little less output. Its bytes may be others with a new version of that package.
	faster bool
}

type deflater interface {
	io.WriteCloser
	Reset(to io.Writer)
}

func (p *packer) newDeflater() (deflater, error) {
	if p.faster {
		return faster.NewWriter(&p.out, faster.BestSpeed)
	}
	return flate.NewWriter(&p.out, flate.BestSpeed)
}

// pack returns the packed contents, valid until the next call. Contents that do not get smaller are stored
// uncompressed.
func (p *packer) pack(contents []byte) (packing, []byte, error) {
	p.out.Reset()
	if p.deflate == nil {
		w, err := p.newDeflater()
		if err != nil {
			return uncompressed, nil, err
		}
		p.deflate = w
	} else {
		p.deflate.Reset(&p.out)
	}
	if _, err := p.deflate.Write(contents); err != nil {
		return uncompressed, nil, err
	}
	if err := p.deflate.Close(); err != nil {
		return uncompressed, nil, err
	}
	if p.out.Len() >= len(contents) {
		return uncompressed, contents, nil
	}
	return deflate, p.out.Bytes(), nil
}

// unpacker decompresses blocks.
type unpacker struct {
	out     bytes.Buffer
	inflate io.ReadCloser
}

// unpack returns the contents, valid until the next call; they must have exactly the given size. Memory grows with the
// real contents, not with the claimed size.
func (u *unpacker) unpack(by packing, packed []byte, size int) ([]byte, error) {
	switch by {
	case uncompressed:
		if len(packed) != size {
			return nil, fmt.Errorf("a stored block has %d bytes and claims %d", len(packed), size)
		}
		return packed, nil
	case deflate:
	default:
		return nil, fmt.Errorf("a block is compressed in a way (%d) that this program does not know: use a newer one", by)
	}
	source := bytes.NewReader(packed)
	if u.inflate == nil {
		u.inflate = faster.NewReader(source)
	} else if err := u.inflate.(faster.Resetter).Reset(source, nil); err != nil {
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
