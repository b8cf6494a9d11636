// Package footprint tells how much memory an encoded object takes once it is decoded, without decoding it. Two bytes of
// a protocol buffer are an empty container, which takes a thousand in memory: a reader that bounds what it reads has
// bounded nothing.
//
//	Go type ── Of ──► Shape ──┬── Proto(bytes) ──► bytes in memory
//	                          └── JSON(bytes) ───► bytes in memory
//
// A Shape is made of a type's struct tags, once. The numbers are estimates from above: strings by their encoding, lists
// and maps with the room that they leave for growth. Bytes that are no valid encoding are counted as if they were the
// costliest one; their decoder returns the error.
package footprint
