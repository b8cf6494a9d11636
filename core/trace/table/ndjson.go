package table

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
)

// NDJSON writes all tables to one writer, a line for each row.
type NDJSON struct {
	to   *bufio.Writer
	line []byte
}

// NewNDJSON returns a writer of lines.
func NewNDJSON(to io.Writer) *NDJSON { return &NDJSON{to: bufio.NewWriter(to)} }

// Write implements Writer. The line begins with the table; columns without a value are null.
func (n *NDJSON) Write(row any) error {
	k, v := kinds[reflect.TypeOf(row)], reflect.ValueOf(row).Elem()
	n.line = append(n.line[:0], `{"table":"`+k.name+`"`...)
	for _, c := range k.columns {
		n.line = append(n.line, `,"`+c.name+`":`...)
		n.line = appendJSON(n.line, v.Field(c.field), c.optional)
	}
	n.line = append(n.line, "}\n"...)
	if _, err := n.to.Write(n.line); err != nil {
		return fmt.Errorf("writing a row of the table %s: %w", k.name, err)
	}
	return nil
}

func appendJSON(to []byte, v reflect.Value, optional bool) []byte {
	if optional && v.IsZero() {
		return append(to, "null"...)
	}
	text := cell(v, false)
	if _, is := v.Interface().(Micros); is || v.Kind() == reflect.String {
		quoted, err := json.Marshal(text)
		if err != nil {
			quoted = []byte(`""`)
		}
		return append(to, quoted...)
	}
	return append(to, text...)
}

// Close implements Writer.
func (n *NDJSON) Close() error {
	if err := n.to.Flush(); err != nil {
		return fmt.Errorf("writing the last rows: %w", err)
	}
	return nil
}
