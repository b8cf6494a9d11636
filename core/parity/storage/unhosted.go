//go:build processes

package storage

import (
	"context"
	"errors"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

// controllers has none: with this build tag upstream's are not linked, which saves compiling them.
func controllers(context.Context, kubernetes.Interface, informers.SharedInformerFactory) ([]func(context.Context), error) {
	return nil, errors.New("this program is built with the tag processes, and so has no controllers of its own: name a Manager")
}

func statefulSets(context.Context, kubernetes.Interface, informers.SharedInformerFactory) func(context.Context) {
	return func(context.Context) {}
}
