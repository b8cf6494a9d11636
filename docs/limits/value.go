package main

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// valuesOf evaluates the constants of a package by themselves: of what it imports, only durations are known.
func valuesOf(files []*ast.File, set *token.FileSet) map[*ast.Ident]types.Object {
	info := types.Info{Defs: map[*ast.Ident]types.Object{}}
	lenient := types.Config{Importer: onlyTime{}, Error: func(error) {}, IgnoreFuncBodies: true, FakeImportC: true}
	_, _ = lenient.Check("limits", set, files, &info) // what it imports is missing
	return info.Defs
}

// onlyTime imports the durations of package time, and nothing else.
type onlyTime struct{}

var durations = func() *types.Package {
	const source = `package time
type Duration int64
const (
	Nanosecond Duration = 1
	Microsecond = 1000 * Nanosecond
	Millisecond = 1000 * Microsecond
	Second = 1000 * Millisecond
	Minute = 60 * Second
	Hour = 60 * Minute
)`
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "time.go", source, 0)
	if err != nil {
		panic(err)
	}
	p, err := new(types.Config).Check("time", set, []*ast.File{file}, nil)
	if err != nil {
		panic(err)
	}
	return p
}()

var errNotImported = errors.New("it is not needed for constants")

func (onlyTime) Import(path string) (*types.Package, error) {
	if path == "time" {
		return durations, nil
	}
	return nil, errNotImported
}

// format writes a value: a duration, a number of bytes, or a number.
func format(c *types.Const, bytes bool) string {
	n, exact := constant.Int64Val(constant.ToInt(c.Val()))
	switch named, ok := c.Type().(*types.Named); {
	case !exact:
		return c.Val().String()
	case ok && named.Obj().Pkg() == durations:
		return durationText(time.Duration(n))
	case bytes && n >= 1<<10 && n%(1<<10) == 0:
		return strings.Replace(humanize.IBytes(uint64(n)), ".0 ", " ", 1)
	case bytes:
		return humanize.Comma(n) + " B"
	}
	return humanize.Comma(n)
}

// durationText writes a duration in its largest units.
func durationText(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= 2*day && d%day == 0 {
		return humanize.Comma(int64(d/day)) + " days"
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if len(text) > len(zero) && text[len(text)-len(zero):] == zero {
			text = text[:len(text)-len(zero)+1]
		}
	}
	return text
}
