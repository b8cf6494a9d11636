// Package apiobjects compares the simulated API server with a started one: random objects of many kinds, good and bad, new and
// changed, are refused by both or by neither, and for the same fields.
package apiobjects
