// Package table writes what package journey finds in a recording as tables for notebooks and databases: decisions, pods, nodes and transitions.
//
//	journey.Tracker ──► Tables: rows ──► CSV      a file for each table
//	                                ├──► Parquet  a file for each table, by github.com/parquet-go/parquet-go
//	                                └──► NDJSON   one stream of all, each line with the name of its table
//
// rows has the columns, once, as the fields of structs: their order, names and types hold for all formats. docs/exports.md describes
// them. tables fills the rows; csv, ndjson and parquet write them.
//
// A row is written when what it is of has ended, so that memory is bounded by what there is at one time. Parquet
// keeps a group of rows. The same recording gives the same bytes. Texts from a recording are made printable.
package table
