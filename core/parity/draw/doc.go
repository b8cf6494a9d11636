// Package draw draws API objects, good and bad, for comparisons with the API server.
//
//	filler.go   any field, by reflection: mostly good, now and then at the edge of what is allowed
//	pods.go     pods
//	objects.go  objects of the other kinds that have defaults
package draw
