package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"orrery/core/trace"
)

func traceHashCommand() *cobra.Command {
	var (
		out  output
		to   outFile
		salt string
	)
	c := &cobra.Command{
		Use:   "hash TRACE",
		Short: "Copy a trace with its names replaced, to give it to somebody",
		Long: `Hash replaces names of objects, values of labels, images, addresses and texts by hashes: the same
name by the same hash, so that references hold, and in the order of the names, so that decisions
stay what they are: "orrery replay --verify" takes the same. Keys, numbers, quantities and the
scheduler's configuration are kept, but for names of nodes and of the lease in it.

The order shows how many names come before each other one: who knows some of the names knows which
others lie between them in the alphabet. "orrery record --hash-names" shows no order, and decides by
the hashes: where names decide, it decides otherwise than the cluster's scheduler.

In a trace that begins with the scheduler's state names cannot be replaced, as they are in the state.

With the salt, names can be found by trying them out: make one of random bytes and keep it, to
find what "h0123456789abcdef" is called in your cluster, or throw it away. The last digits of a
hash, at least ten of them, are the same in all traces that are hashed with one salt.
` + traceHelp,
		Example: `  head -c 32 /dev/urandom >salt
  orrery trace hash incident.orrery --salt-file salt --out for-the-issue.orrery`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTrace,
		RunE: func(c *cobra.Command, args []string) error {
			if err := to.check(c, out); err != nil {
				return err
			}
			hash, err := readSalt(salt)
			if err != nil {
				return err
			}
			rec, err := openTrace(c, args[0])
			if err != nil {
				return err
			}
			defer rec.Close()
			p := newProgress(c, "hashing the names of "+rec.name)
			defer p.done()
			all, err := seekable(rec)
			if err != nil {
				return fmt.Errorf("reading %s: %w", rec.name, err)
			}
			if _, err := trace.NewReader(all); err != nil {
				return fmt.Errorf("hashing the names of %s: %w", rec.name, err)
			}
			damage, err := to.write(c, func(w io.Writer) error { return trace.HashNames(p.readingTwice(all, rec.size), w, hash) })
			p.done()
			if err != nil {
				return err
			}
			return printCopied(c, out, to, "TraceHash", rec.name, damage)
		},
	}
	c.Flags().StringVar(&salt, "salt-file", "", "a `file` of random bytes, 8 at least")
	to.addFlags(c)
	out.addFlag(c)
	return c
}

// seekable returns a trace that can be read twice. What comes in on a pipe is kept in memory for it, once its header shows that it is a trace.
func seekable(rec *recording) (io.ReadSeeker, error) {
	if file, ok := rec.ReadCloser.(io.ReadSeeker); ok {
		if _, err := file.Seek(0, io.SeekStart); err == nil {
			return file, nil
		}
	}
	_, whole, err := headerOf(rec)
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(io.LimitReader(whole, maxPipedBytes+1))
	if err == nil && len(all) > maxPipedBytes {
		err = fmt.Errorf("%s has more than %d MiB, and hashing reads it twice: save it to a file, and name that", rec.name, maxPipedBytes>>20)
	}
	return bytes.NewReader(all), err
}

// maxPipedBytes is what orrery record writes at most by default.
//
//orrery:limit files; a trace on a pipe whose names are hashed, in bytes; an error
const maxPipedBytes = 256 << 20

// maxSaltBytes bounds a salt file; salts are much shorter.
//
//orrery:limit files; a file of salt, in bytes; the rest is not read
const maxSaltBytes = 4096

func readSalt(file string) (*trace.NameHasher, error) {
	if file == "" {
		return nil, errors.New("hashing names takes a salt: make one with head -c 32 /dev/urandom >salt, and give it as --salt-file salt")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading the salt: %w", err)
	}
	defer f.Close()
	salt, err := io.ReadAll(io.LimitReader(f, maxSaltBytes))
	if err != nil {
		return nil, fmt.Errorf("reading the salt: %w", err)
	}
	return trace.NewNameHasher(salt)
}
