// Package favouritezone is a scheduler plugin as a third party would write it: it knows k8s.io/kube-scheduler/framework
// and nothing of the scheduler that it is compiled into. It gives the highest score to the nodes of one zone.
//
//	pluginConfig:
//	- name: FavouriteZone
//	  args:
//	    zone: north
package favouritezone

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
)

// Name of the plugin in configurations.
const Name = "FavouriteZone"

// FavouriteZone is the plugin.
type FavouriteZone struct{ zone string }

var _ fwk.ScorePlugin = (*FavouriteZone)(nil)

// New makes the plugin from its arguments.
func New(_ context.Context, args runtime.Object, _ fwk.Handle) (fwk.Plugin, error) {
	raw, ok := args.(*runtime.Unknown)
	if !ok {
		return nil, errors.New("want args with a zone")
	}
	var a struct {
		Zone string `json:"zone"`
	}
	if err := json.Unmarshal(raw.Raw, &a); err != nil {
		return nil, fmt.Errorf("reading args: %w", err)
	}
	return &FavouriteZone{zone: a.Zone}, nil
}

// Name is the plugin's name.
func (*FavouriteZone) Name() string { return Name }

// Score is the highest there is in the favourite zone, and nothing elsewhere.
func (f *FavouriteZone) Score(_ context.Context, _ fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	if node.Node().Labels[v1.LabelTopologyZone] == f.zone {
		return fwk.MaxScore, nil
	}
	return 0, nil
}

// ScoreExtensions is nil: the scores need no normalising.
func (*FavouriteZone) ScoreExtensions() fwk.ScoreExtensions { return nil }
