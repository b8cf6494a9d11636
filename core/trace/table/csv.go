package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"strconv"
)

// CSV writes each table to a writer of its own.
type CSV struct {
	tables map[string]*csv.Writer
	cells  []string
}

// NewCSV writes the head of each table. open returns what a table is written to.
func NewCSV(open func(table string) io.Writer) (*CSV, error) {
	c := &CSV{tables: map[string]*csv.Writer{}}
	for _, k := range ordered {
		w := csv.NewWriter(open(k.name))
		c.tables[k.name] = w
		var head []string
		for _, column := range k.columns {
			head = append(head, column.name)
		}
		if err := w.Write(head); err != nil {
			return nil, fmt.Errorf("writing the table %s: %w", k.name, err)
		}
	}
	return c, nil
}

// Write implements Writer.
func (c *CSV) Write(row any) error {
	k, v := kinds[reflect.TypeOf(row)], reflect.ValueOf(row).Elem()
	c.cells = c.cells[:0]
	for _, column := range k.columns {
		c.cells = append(c.cells, cell(v.Field(column.field), column.optional))
	}
	if err := c.tables[k.name].Write(c.cells); err != nil {
		return fmt.Errorf("writing the table %s: %w", k.name, err)
	}
	return nil
}

func cell(v reflect.Value, optional bool) string {
	if optional && v.IsZero() {
		return ""
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Float64:
		return float(v.Float())
	}
	if m, ok := v.Interface().(Micros); ok {
		return m.String()
	}
	return strconv.FormatInt(v.Int(), 10)
}

// Close implements Writer.
func (c *CSV) Close() error {
	for _, name := range Names {
		c.tables[name].Flush()
		if err := c.tables[name].Error(); err != nil {
			return fmt.Errorf("writing the table %s: %w", name, err)
		}
	}
	return nil
}
