package trace

import (
	"bytes"
	"errors"
	"io"

	v1 "k8s.io/api/core/v1"
)

// NewHashedWriter begins a trace in which names are replaced.
var NewHashedWriter = newHashedWriter

// FileOfEntries returns a whole file of an origin around the contents of one block, valid or not.
func FileOfEntries(origin Origin, contents []byte) []byte {
	return fileOfEntries(Header{Origin: origin}, contents)
}

// FileOfReadings is FileOfEntries for a trace that has readings of usage.
func FileOfReadings(contents []byte) []byte {
	return fileOfEntries(Header{Kubelet: []byte("{}")}, contents)
}

func fileOfEntries(h Header, contents []byte) []byte {
	var file bytes.Buffer
	w := frameWriter{to: &file}
	text, _ := h.encode()
	_ = w.writeMagic(h.version())
	_ = w.write(headerBlock, text, 0, 0)
	entries := uint32(0)
	for c := (&entryReader{Reader: readerOf(contents)}); len(c.Rest) > 0; entries++ {
		c.Bytes()
	}
	_ = w.write(recordsBlock, contents, entries, 0)
	_ = w.write(endBlock, nil, 0, uint64(entries))
	return file.Bytes()
}

// MostMemory is what the records of a file of so many bytes may take.
func MostMemory(fileBytes int) int64 { return (&memory{fileBytes: int64(fileBytes)}).most() }

// MemoryPerByte is what each byte of a file allows.
const MemoryPerByte = memoryPerByte

// Memory returns what the records read so far take.
func (t *Reader) Memory() int64 { return t.memory.used }

// ContentsOf returns the contents of the records in a file, which FileOfEntries takes.
func ContentsOf(file []byte) ([]byte, error) {
	r := frameReader{from: bytes.NewReader(file)}
	if err := r.readMagic(); err != nil {
		return nil, err
	}
	var all []byte
	for {
		f, contents, err := r.read()
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		case f.kind == recordsBlock:
			all = append(all, contents...)
		}
	}
}

// PodDecoder returns what decodes the pods of one reader, and knows how many parts of each kind they share so far.
func PodDecoder() (decode func(data []byte) (*v1.Pod, error), known func() (metas, specs, statuses, conditions int)) {
	r := &podReader{}
	decode = func(data []byte) (*v1.Pod, error) {
		pod := &v1.Pod{}
		return pod, r.unmarshal(pod, data)
	}
	known = func() (int, int, int, int) {
		return len(r.metas.known), len(r.specs.known), len(r.statuses.known), len(r.conditions.known)
	}
	return decode, known
}

// Bounds of the parts that pods share.
const (
	MaxSharedParts = maxSharedParts
	MaxSharedSize  = maxSharedSize
)
