package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// magic opens every trace; one byte with the version follows.
const magic = "ORRERYT"

// block kinds.
const (
	headerBlock  = 'H'
	recordsBlock = 'R'
	endBlock     = 'E'
)

const (
	frameSize = 26
	// flushBytes is the unpacked size at which a block is written: deflate gains little beyond it, and a crash loses at
	// most this much.
	//
	//orrery:limit recordings; records that a crash can lose, in bytes; they are written
	flushBytes = 128 << 10
	// maxEntryBytes bounds an entry, which has one object at most; maxObjectBytes bounds the object. etcd accepts 1.5
	// MiB by default.
	//
	//orrery:limit recordings; a record, in bytes; the recording counts as damaged from there on
	maxEntryBytes  = 2 << 20
	maxObjectBytes = maxEntryBytes - 4096
	// maxBlockBytes bounds a block, packed or not: the header, or a full block with the entry that filled it.
	//
	//orrery:limit recordings; a block of records, packed or not, in bytes; the recording counts as damaged from there on
	maxBlockBytes = maxHeaderBytes + flushBytes
)

// frame precedes every block.
type frame struct {
	kind     byte
	packing  packing
	packed   uint32 // bytes in the file
	unpacked uint32 // bytes of contents
	entries  uint32
	first    uint64 // the number of the first entry
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode writes the frame, with the checksum over itself and the block.
func (f *frame) encode(to *[frameSize]byte, block []byte) {
	to[0], to[1] = f.kind, byte(f.packing)
	binary.LittleEndian.PutUint32(to[2:], f.packed)
	binary.LittleEndian.PutUint32(to[6:], f.unpacked)
	binary.LittleEndian.PutUint32(to[10:], f.entries)
	binary.LittleEndian.PutUint64(to[14:], f.first)
	binary.LittleEndian.PutUint32(to[22:], checksum(to, block))
}

func checksum(raw *[frameSize]byte, block []byte) uint32 {
	return crc32.Update(crc32.Checksum(raw[:22], castagnoli), castagnoli, block)
}

func (f *frame) decode(raw *[frameSize]byte) error {
	f.kind, f.packing = raw[0], packing(raw[1])
	f.packed = binary.LittleEndian.Uint32(raw[2:])
	f.unpacked = binary.LittleEndian.Uint32(raw[6:])
	f.entries = binary.LittleEndian.Uint32(raw[10:])
	f.first = binary.LittleEndian.Uint64(raw[14:])
	switch {
	case f.kind != headerBlock && f.kind != recordsBlock && f.kind != endBlock:
		return fmt.Errorf("a block is of no known kind (%#02x)", f.kind)
	case f.packed > maxBlockBytes || f.unpacked > maxBlockBytes:
		return fmt.Errorf("a block claims %d bytes, packed %d, and at most %d are allowed", f.unpacked, f.packed, maxBlockBytes)
	}
	return nil
}

// frameWriter writes blocks.
type frameWriter struct {
	to     io.Writer
	memory memory // of all records, those of the next block included
	packer packer
	raw    [frameSize]byte
}

func (w *frameWriter) writeMagic(version byte) error {
	n, err := w.to.Write(append([]byte(magic), version))
	w.memory.fileBytes = int64(n)
	return err
}

// write writes a block, packed unless the file would then be too small for the memory that its records take.

func (w *frameWriter) write(kind byte, contents []byte, entries uint32, first uint64) error {
	by, packed, err := w.packer.pack(contents)
	if err != nil {
		return err
	}
	before := w.memory.fileBytes
	if w.memory.fileBytes = before + frameSize + int64(len(packed)); w.memory.used > w.memory.most() {
		by, packed = uncompressed, contents
		w.memory.fileBytes = before + frameSize + int64(len(packed))
	}
	f := frame{
		kind: kind, packing: by, packed: uint32(len(packed)), unpacked: uint32(len(contents)),
		entries: entries, first: first,
	}
	f.encode(&w.raw, packed)
	if _, err := w.to.Write(w.raw[:]); err != nil {
		return err
	}
	_, err = w.to.Write(packed)
	return err
}

// frameReader reads blocks.
type frameReader struct {
	from     io.Reader
	offset   int64 // of the next block
	version  byte
	packed   bytes.Buffer
	unpacker unpacker
	raw      [frameSize]byte
}

// ErrNotATrace reports a file that is not a trace.
var ErrNotATrace = errors.New("this is not a trace: it does not begin as one")

// ErrVersion reports a trace of another version of the format.
var ErrVersion = errors.New("this trace is of another version of the format")

func (r *frameReader) readMagic() error {
	var start [len(magic) + 1]byte
	n, err := io.ReadFull(r.from, start[:])
	r.offset = int64(n)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("opening a trace: %w", err)
	}
	if n < len(start) || string(start[:len(magic)]) != magic {
		return ErrNotATrace
	}
	switch r.version = start[len(magic)]; {
	case r.version == 0:
		return ErrNotATrace
	case r.version < oldestReadable:
		return fmt.Errorf("%w: the file has version %d, and this program reads versions %d to %d: open it with the orrery that recorded it, or record it again", ErrVersion, r.version, oldestReadable, Version)
	case r.version > Version:
		return fmt.Errorf("%w: the file has version %d, and this program reads versions %d to %d: open it with the orrery that recorded it or a newer one", ErrVersion, r.version, oldestReadable, Version)
	}
	return nil
}

// read returns the next block; its contents are valid until the next call. The error is io.EOF at the end of the file.
func (r *frameReader) read() (frame, []byte, error) {
	var f frame
	n, err := io.ReadFull(r.from, r.raw[:])
	if err != nil {
		if n == 0 && errors.Is(err, io.EOF) {
			return f, nil, io.EOF
		}
		return f, nil, truncated(err)
	}
	if err := f.decode(&r.raw); err != nil {
		return f, nil, err
	}
	r.packed.Reset()
	if _, err := io.CopyN(&r.packed, r.from, int64(f.packed)); err != nil {
		return f, nil, truncated(err)
	}
	if want := binary.LittleEndian.Uint32(r.raw[22:]); checksum(&r.raw, r.packed.Bytes()) != want {
		return f, nil, errors.New("a block's checksum is wrong")
	}
	contents, err := r.unpacker.unpack(f.packing, r.packed.Bytes(), int(f.unpacked))
	if err != nil {
		return f, nil, err
	}
	r.offset += frameSize + int64(f.packed)
	return f, contents, nil
}

// truncated turns an end of file inside a block into an error that says so.
func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends in the middle of a block: %w", io.ErrUnexpectedEOF)
	}
	return err
}
