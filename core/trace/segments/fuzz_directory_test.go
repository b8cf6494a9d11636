package segments

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"orrery/core/testing/fuzz"
	"orrery/core/trace/play"
)

// FuzzDirectory reads recordings on disk: segments, what a process left behind, and the index beside them.
//
//orrery:reads core/trace/segments core/trace core/trace/play
func FuzzDirectory(f *testing.F) {
	segment, err := os.ReadFile("../testdata/v2.trace")
	if err != nil {
		f.Fatal(err)
	}
	index := marshalIndex([]indexEntry{{Name: newName(start), Bytes: int64(len(segment))}})
	f.Add(segment, segment[:len(segment)/2], index, newName(start))
	f.Add([]byte{}, []byte("ORRERYT\x02"), []byte(`{"version":1,"segments":[{"name":"../x","bytes":-1}]}`), newName(start.Add(time.Hour))+".partial")
	f.Add(segment[:40], segment, []byte("{"), "\x1b[2J")
	f.Fuzz(func(t *testing.T, first, second, index []byte, name string) {
		dir := t.TempDir()
		write := func(file string, text []byte) {
			_ = os.WriteFile(filepath.Join(dir, file), text, 0o600) // not every name is one of a file
		}
		write(filepath.Base(name), second)
		write(newName(start), first)
		write(indexName, index)
		fuzz.Cost(t, len(first)+len(second)+len(index), func() {
			d, err := Open(dir)
			if err != nil {
				t.Fatal(err) // there is one segment at least
			}
			defer d.Close()
			for _, s := range d.Summaries(nil) {
				fuzz.Output(t, s.Damage+s.Name)
			}
			for _, v := range d.Verify(play.Options{}, nil) {
				fuzz.Output(t, v.Damage)
				if v.Report == nil && v.Damage == "" {
					t.Errorf("%s is not replayed, and nothing says why", v.Name)
				}
			}
			if s, ok := d.At(start); ok && s.Start.After(start) {
				t.Errorf("at %v is %+v", start, s)
			}
		})
	})
}
