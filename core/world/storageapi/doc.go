// Package storageapi checks claims to volumes, volumes, storage classes, CSI drivers and their objects as the API server does, as
// far as scheduling reads them.
//
//	Default(object)
//	   │
//	Create(object)           claims.go volumes.go classes.go drivers.go attachments.go
//	Update(changed, old)     the same, and what must not change
//
// Its errors name the fields and say what the API server's do. Not checked, since no scheduler reads
// it: what claims are filled from, the parameters of classes, and of the sources of volumes all but local ones and the names of
// drivers. A volume may do without a source.
package storageapi
