package trace_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"orrery/core/trace"
)

// TestCopy_WriteErrorComesBeforeDamage copies a damaged trace to a full disk: who is told of the damage alone takes the
// copy for good.
func TestCopy_WriteErrorComesBeforeDamage(t *testing.T) {
	file := written(t, trace.Header{Start: start}, manyRecords(20)...)
	damaged := file[:len(file)-3]
	hash, err := trace.NewNameHasher([]byte("a long salt"))
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	for name, copyTo := range map[string]func(to *shortDisk) error{
		"cut":  func(to *shortDisk) error { return trace.Cut(bytes.NewReader(damaged), to, start, start.Add(time.Hour)) },
		"hash": func(to *shortDisk) error { return trace.HashNames(bytes.NewReader(damaged), to, hash) },
	} {
		err := copyTo(&shortDisk{left: 300, full: full})
		if damage := (*trace.Damage)(nil); !errors.Is(err, full) || errors.As(err, &damage) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// A copy of a damaged trace is whole, and a mark in it says why it ends where it does. A hashed one names nothing.
func TestCopy_KeepsReasonOfDamage(t *testing.T) {
	file := written(t, trace.Header{Start: start}, manyRecords(20)...)
	damaged := file[:len(file)-30]
	hash, err := trace.NewNameHasher([]byte("a long salt"))
	if err != nil {
		t.Fatal(err)
	}
	for name, copyTo := range map[string]func(to io.Writer) error{
		"damaged at record": func(to io.Writer) error {
			return trace.Cut(bytes.NewReader(damaged), to, start, start.Add(time.Hour))
		},
		"block at byte": func(to io.Writer) error {
			return trace.Cut(bytes.NewReader(damaged), to, start.Add(time.Hour), start.Add(2*time.Hour))
		},
		"damaged at record 0": func(to io.Writer) error { return trace.HashNames(bytes.NewReader(damaged), to, hash) },
	} {
		var out bytes.Buffer
		err := copyTo(&out)
		if damage := (*trace.Damage)(nil); !errors.As(err, &damage) {
			t.Errorf("%s: the error is %v", name, err)
		}
		info, err := trace.ReadInfo(&out)
		if err != nil {
			t.Fatal(err)
		}
		if info.Damage != nil || len(info.Marks) != 1 || !strings.Contains(info.Marks[0].Mark.Text, name) {
			t.Errorf("%s: the copy has the marks %v and is damaged: %v", name, info.Marks, info.Damage)
		}
	}
}

// shortDisk takes so many bytes.
type shortDisk struct {
	left int
	full error
}

func (d *shortDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, d.full
	}
	return len(p), nil
}
