package table

import (
	"reflect"
	"strings"
)

// column is a field of a row.
type column struct {
	name     string
	field    int
	optional bool
}

// kind is a table with its columns.
type kind struct {
	name    string
	columns []column
}

// ordered are the tables in the order of Names, kinds the same by the types of the pointers to their rows.
var (
	ordered = []*kind{kindOf[Decision](Names[0]), kindOf[Pod](Names[1]), kindOf[Node](Names[2]), kindOf[Transition](Names[3])}
	kinds   = map[reflect.Type]*kind{
		reflect.TypeFor[*Decision](): ordered[0], reflect.TypeFor[*Pod](): ordered[1],
		reflect.TypeFor[*Node](): ordered[2], reflect.TypeFor[*Transition](): ordered[3],
	}
)

func kindOf[Row any](name string) *kind {
	k := &kind{name: name}
	row := reflect.TypeFor[Row]()
	for i := range row.NumField() {
		parts := strings.Split(row.Field(i).Tag.Get("parquet"), ",")
		c := column{name: parts[0], field: i}
		for _, option := range parts[1:] {
			c.optional = c.optional || option == "optional"
		}
		k.columns = append(k.columns, c)
	}
	return k
}
