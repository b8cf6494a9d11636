package live

import (
	"context"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// Volumes and claims are patched, not updated: what is held of them is trimmed. The version in a patch makes the API
// server refuse it for any other state than the one that was decided on, as it would refuse an update. So a patch that
// was carried out although its answer was lost ends in a conflict when it is tried again; the pod is then scheduled
// again, and finds what the first one wrote.

// versionedPatch is a merge patch of one version of an object.
type versionedPatch struct {
	Metadata struct {
		UID             types.UID         `json:"uid,omitempty"`
		ResourceVersion string            `json:"resourceVersion,omitempty"`
		Annotations     map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
	Spec *volumePatch `json:"spec,omitempty"`
}

type volumePatch struct {
	ClaimRef v1.ObjectReference `json:"claimRef"`
}

func patchOf(o world.ObjectRef) versionedPatch {
	var p versionedPatch
	p.Metadata.UID, p.Metadata.ResourceVersion = o.UID, o.ResourceVersion
	return p
}

// claimVolume writes the claim into the volume.
func (c *Cluster) claimVolume(ctx context.Context, act world.ClaimVolume) error {
	patch := patchOf(act.Volume)
	patch.Spec = &volumePatch{ClaimRef: world.ClaimReference(act.Claim)}
	if act.ByController {
		patch.Metadata.Annotations = map[string]string{volume.AnnBoundByController: "yes"}
	}
	data, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("writing the patch of volume %q: %w", act.Volume.Name, err)
	}
	_, err = c.options.Client.CoreV1().PersistentVolumes().Patch(ctx, act.Volume.Name, types.MergePatchType, data, metav1.PatchOptions{})
	return err
}

// selectNode writes the node into the claim.
func (c *Cluster) selectNode(ctx context.Context, act world.SelectNode) error {
	patch := patchOf(act.Claim)
	patch.Metadata.Annotations = map[string]string{volume.AnnSelectedNode: act.Node}
	data, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("writing the patch of claim %q: %w", act.Claim.Name, err)
	}
	_, err = c.options.Client.CoreV1().PersistentVolumeClaims(act.Claim.Namespace).Patch(ctx, act.Claim.Name, types.MergePatchType, data, metav1.PatchOptions{})
	return err
}
