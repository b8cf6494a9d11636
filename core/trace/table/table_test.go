package table_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"orrery/core/trace/journey"
	"orrery/core/trace/play"
	"orrery/core/trace/table"
	"orrery/demo"
)

// buffers are the files of the tables.
type buffers map[string]*bytes.Buffer

func (b buffers) open(name string) io.Writer {
	b[name] = &bytes.Buffer{}
	return b[name]
}

func export(t *testing.T, trace string, to table.Writer) {
	t.Helper()
	from, err := demo.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	tables := table.New(to)
	tracker := journey.New(tables)
	if _, _, err := tracker.Read(from, play.Options{}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	tracker.Finish()
	if err := tables.Close(); err != nil {
		t.Fatal(err)
	}
}

func inCSV(t *testing.T, trace string) (buffers, map[string][][]string) {
	t.Helper()
	files, rows := buffers{}, map[string][][]string{}
	w, err := table.NewCSV(files.open)
	if err != nil {
		t.Fatal(err)
	}
	export(t, trace, w)
	for name, file := range files {
		if rows[name], err = csv.NewReader(bytes.NewReader(file.Bytes())).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	return files, rows
}

// TestFormats_HoldTheSame exports a recording with pre-emptions in all formats, and compares every cell. Parquet is read by its generic
// API, from the file's own schema, and not by the structs that wrote it.
func TestFormats_HoldTheSame(t *testing.T) {
	const trace = "priority-storm"
	_, want := inCSV(t, trace)
	for _, name := range table.Names {
		if len(want[name]) < 10 {
			t.Errorf("the table %s has %d rows", name, len(want[name]))
		}
	}
	t.Run("NDJSON", func(t *testing.T) {
		var b bytes.Buffer
		export(t, trace, table.NewNDJSON(&b))
		got := map[string][][]string{}
		for line := range strings.Lines(b.String()) {
			var of struct {
				Table string `json:"table"`
			}
			if err := json.Unmarshal([]byte(line), &of); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			if got[of.Table] == nil {
				got[of.Table] = [][]string{want[of.Table][0]}
			}
			d := json.NewDecoder(strings.NewReader(line))
			d.UseNumber()
			cells := map[string]any{}
			if err := d.Decode(&cells); err != nil {
				t.Fatal(err)
			}
			var row []string
			for _, column := range want[of.Table][0] {
				row = append(row, textOf(t, cells[column]))
			}
			got[of.Table] = append(got[of.Table], row)
		}
		compare(t, got, want)
	})
	t.Run("Parquet", func(t *testing.T) {
		files := buffers{}
		export(t, trace, table.NewParquet("v0", files.open))
		got := map[string][][]string{}
		for name, file := range files {
			got[name] = readParquet(t, file.Bytes())
		}
		compare(t, got, want)
	})
}

func textOf(t *testing.T, cell any) string {
	t.Helper()
	switch c := cell.(type) {
	case nil:
		return ""
	case string:
		return c
	case json.Number:
		return c.String()
	case bool:
		if c {
			return "true"
		}
		return "false"
	}
	t.Fatalf("a cell is a %T", cell)
	return ""
}

// readParquet reads a file by its own schema.
func readParquet(t *testing.T, file []byte) [][]string {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	fields := f.Schema().Fields()
	head := make([]string, len(fields))
	for i, field := range fields {
		head[i] = field.Name()
	}
	all := [][]string{head}
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		buffer := make([]parquet.Row, 7)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				cells := make([]string, len(row))
				for i, v := range row {
					logical := fields[v.Column()].Type().LogicalType()
					switch {
					case v.IsNull():
					case logical != nil && strings.HasPrefix(logical.String(), "TIMESTAMP"):
						cells[i] = time.UnixMicro(v.Int64()).UTC().Format("2006-01-02T15:04:05.000000Z")
					case v.Kind() == parquet.Double:
						cells[i] = strconv.FormatFloat(v.Double(), 'f', -1, 64)
					default:
						cells[i] = v.String()
					}
				}
				all = append(all, cells)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func compare(t *testing.T, got, want map[string][][]string) {
	t.Helper()
	for _, name := range table.Names {
		if len(got[name]) != len(want[name]) {
			t.Fatalf("the table %s has %d rows, and %d in CSV", name, len(got[name]), len(want[name]))
		}
		for i, row := range want[name] {
			if !slices.Equal(got[name][i], row) {
				t.Fatalf("row %d of the table %s is\n%q\nand in CSV\n%q", i, name, got[name][i], row)
			}
		}
	}
}

func TestExport_IsDeterministic(t *testing.T) {
	for _, to := range map[string]func(b buffers) table.Writer{
		"CSV":     func(b buffers) table.Writer { w, _ := table.NewCSV(b.open); return w },
		"Parquet": func(b buffers) table.Writer { return table.NewParquet("v0", b.open) },
	} {
		first, second := buffers{}, buffers{}
		export(t, "node-drain", to(first))
		export(t, "node-drain", to(second))
		for _, name := range table.Names {
			if !bytes.Equal(first[name].Bytes(), second[name].Bytes()) {
				t.Errorf("the table %s differs from export to export", name)
			}
		}
	}
}

// TestDecisions_AsReported compares counts with the replay's own.
func TestDecisions_AsReported(t *testing.T) {
	_, rows := inCSV(t, "morning-rush")
	from, err := demo.Open("morning-rush")
	if err != nil {
		t.Fatal(err)
	}
	e, report, err := play.Replay(from, play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(rows["decisions"]) - 1; got != int(report.Decisions) {
		t.Errorf("%d decisions are exported of %d", got, report.Decisions)
	}
	bound, column := uint64(0), slices.Index(rows["pods"][0], "bound")
	for _, row := range rows["pods"][1:] {
		if row[column] != "" {
			bound++
		}
	}
	if want := e.Counters().Bound; bound != want {
		t.Errorf("%d pods are bound in the export, %d by the engine", bound, want)
	}
}

// TestColumns_AreDocumented checks that the page about exports names every column of every table.
func TestColumns_AreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/exports.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows := inCSV(t, "node-drain")
	for name, table := range rows {
		if !bytes.Contains(page, []byte("**"+name+"**")) {
			t.Errorf("docs/exports.md has no table %s", name)
		}
		for _, column := range table[0] {
			if !strings.HasSuffix(column, "_s") && !bytes.Contains(page, []byte("`"+column+"`")) {
				t.Errorf("docs/exports.md has no column %s of the table %s", column, name)
			}
		}
	}
}
