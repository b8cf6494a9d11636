package trace

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// tableRow is one line of a table; err is the first error in it.
type tableRow struct {
	file    string
	line    int
	columns map[string]int
	cells   []string
	memory  *memory
	err     error
}

// maxRowBytes bounds a row of a table, and rowMemory is more than it takes as objects.
const (
	//orrery:limit files; a row of a table to import, in bytes; refused
	maxRowBytes = 1 << 20
	rowMemory   = 3 << 10
)

// rowReader bounds a row: what has no end, such as a device, is read no further.
type rowReader struct {
	from io.Reader
	left int   // of the row
	read int64 // of the table
}

func (r *rowReader) Read(to []byte) (int, error) {
	n, err := r.from.Read(to)
	r.left, r.read = r.left-n, r.read+int64(n)
	switch {
	case bytes.IndexByte(to[:n], 0) >= 0:
		return 0, fmt.Errorf("this is no table: %w", errZeroByte)
	case r.left < 0:
		return 0, fmt.Errorf("a row has more than %d bytes", maxRowBytes)
	}
	return n, err
}

func readTable(file string, from io.Reader, needed []string, each func(*tableRow)) error {
	rows := &rowReader{from: from, left: maxRowBytes}
	r := csv.NewReader(rows)
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return &FileError{file, 1, "", fmt.Errorf("reading the names of the columns: %w", err)}
	}
	columns := make(map[string]int, len(head))
	for i, name := range head {
		columns[strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))] = i
	}
	for _, name := range needed {
		if _, ok := columns[name]; !ok {
			return &FileError{file, 1, name, errors.New("there is no column of this name")}
		}
	}
	spent := memory{perByte: importPerByte}
	for {
		rows.left = maxRowBytes
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return tableError(file, err)
		}
		line, _ := r.FieldPos(0)
		spent.fileBytes = rows.read
		if err := spent.spend(rowMemory); err != nil {
			return &FileError{file, line, "", err}
		}
		one := tableRow{file: file, line: line, columns: columns, cells: cells, memory: &spent}
		if each(&one); one.err != nil {
			return one.err
		}
	}
}

func tableError(file string, err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return &FileError{file, parse.Line, "", parse.Err}
	}
	return fmt.Errorf("reading %s: %w", file, err)
}

// spend spends memory beyond rowMemory.
func (r *tableRow) spend(bytes int64) {
	if err := r.memory.spend(bytes); err != nil {
		r.fail("", err)
	}
}

func (r *tableRow) fail(column string, cause error) {
	if r.err == nil {
		r.err = &FileError{r.file, r.line, column, cause}
	}
}

func (r *tableRow) text(column string) string {
	return strings.Clone(r.cells[r.columns[column]]) // the csv reader reuses the row's memory
}

func (r *tableRow) name(column string) string {
	name := r.text(column)
	if name == "" {
		r.fail(column, errors.New("is empty"))
	}
	return name
}

// time reads a number of seconds after the start.
func (r *tableRow) time(column string, start time.Time) time.Time {
	at := start.Add(time.Duration(r.number(column)) * time.Second)
	if !canBeMeant(at) {
		r.fail(column, fmt.Errorf("%d s after %s is %s, and times from %d to %d are taken",
			r.number(column), start.Format(time.RFC3339), at.Format(time.RFC3339), firstTime.Year(), afterLast.Year()-1))
	}
	return at
}

// product reads the product of two numbers.
func (r *tableRow) product(column, times string, most int64) int64 {
	a, b := r.number(column), r.number(times)
	if a > 0 && b > most/a {
		r.fail(column, fmt.Errorf("%d times %d is more than %d", a, b, most))
		return 0
	}
	return a * b
}

// number parses a non-negative whole number, also in the form 1000.0. The bound keeps conversions to nanoseconds, bytes and
// thousandths from overflowing.
func (r *tableRow) number(column string) int64 {
	text := r.text(column)
	value, err := strconv.ParseFloat(text, 64)
	const most = 1 << 33
	if err != nil || value != math.Trunc(value) || value < 0 || value > most {
		r.fail(column, fmt.Errorf("%q is not a whole number from 0 to %d", text, int64(most)))
		return 0
	}
	return int64(value)
}
