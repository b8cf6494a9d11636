package table

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// groupRows is how many rows a Parquet writer holds before it writes them: a database reads such a group at a time.
//
//orrery:limit recordings; rows of a Parquet file that are kept in memory; then they are written as a group
const groupRows = 32 << 10

// Parquet writes each table to a writer of its own.
type Parquet struct {
	decisions   *parquet.GenericWriter[Decision]
	pods        *parquet.GenericWriter[Pod]
	nodes       *parquet.GenericWriter[Node]
	transitions *parquet.GenericWriter[Transition]
}

// NewParquet begins each table. open returns what a table is written to; version is the program's.
func NewParquet(version string, open func(table string) io.Writer) *Parquet {
	options := []parquet.WriterOption{
		parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(groupRows), parquet.CreatedBy("orrery", version, ""),
	}
	return &Parquet{
		parquet.NewGenericWriter[Decision](open("decisions"), options...), parquet.NewGenericWriter[Pod](open("pods"), options...),
		parquet.NewGenericWriter[Node](open("nodes"), options...), parquet.NewGenericWriter[Transition](open("transitions"), options...),
	}
}

// Write implements Writer.
func (p *Parquet) Write(row any) error {
	var err error
	switch r := row.(type) {
	case *Decision:
		_, err = p.decisions.Write([]Decision{*r})
	case *Pod:
		_, err = p.pods.Write([]Pod{*r})
	case *Node:
		_, err = p.nodes.Write([]Node{*r})
	case *Transition:
		_, err = p.transitions.Write([]Transition{*r})
	}
	if err != nil {
		return fmt.Errorf("writing a row of a Parquet file: %w", err)
	}
	return nil
}

// Close implements Writer.
func (p *Parquet) Close() error {
	for i, w := range []io.Closer{p.decisions, p.pods, p.nodes, p.transitions} {
		if err := w.Close(); err != nil {
			return fmt.Errorf("ending the Parquet file %s: %w", Names[i], err)
		}
	}
	return nil
}
