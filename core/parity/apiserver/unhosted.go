//go:build processes

package apiserver

import (
	"context"
	"errors"
)

// prepare has no API server to prepare: with this build tag none is linked, which saves compiling it.
func (*Server) prepare(context.Context) (run func(context.Context) error, err error) {
	return nil, errors.New("this program is built with the tag processes, and so has no API server of its own: name one in Options.Program")
}
