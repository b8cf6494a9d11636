package live

import (
	"context"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// Volumes and claims are patched, not updated: what is held of them is trimmed. The version in a patch makes the API
// server refuse it for any other state than the one that was decided on, as it would refuse an update. A patch whose
// response was lost may have been carried out; its retry is then a conflict, and the object is read to tell.

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
func (c *Cluster) claimVolume(ctx context.Context, act world.ClaimVolume, j *task) error {
	patch, claim := patchOf(act.Volume), world.ClaimReference(act.Claim)
	patch.Spec = &volumePatch{ClaimRef: claim}
	if act.ByController {
		patch.Metadata.Annotations = map[string]string{volume.AnnBoundByController: "yes"}
	}
	data, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("writing the patch of volume %q: %w", act.Volume.Name, err)
	}
	volumes := c.options.Client.CoreV1().PersistentVolumes()
	_, err = volumes.Patch(ctx, act.Volume.Name, types.MergePatchType, data, metav1.PatchOptions{})
	return confirmPatch(j, err, func() (bool, error) {
		pv, err := volumes.Get(ctx, act.Volume.Name, metav1.GetOptions{})
		return err == nil && pv.UID == act.Volume.UID && refersTo(pv.Spec.ClaimRef, act.Claim), err
	})
}

// refersTo reports whether a volume's reference names a claim, in any version.
func refersTo(ref *v1.ObjectReference, claim world.ObjectRef) bool {
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name && ref.UID == claim.UID
}

// selectNode writes the node into the claim.
func (c *Cluster) selectNode(ctx context.Context, act world.SelectNode, j *task) error {
	patch := patchOf(act.Claim)
	patch.Metadata.Annotations = map[string]string{volume.AnnSelectedNode: act.Node}
	data, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("writing the patch of claim %q: %w", act.Claim.Name, err)
	}
	claims := c.options.Client.CoreV1().PersistentVolumeClaims(act.Claim.Namespace)
	_, err = claims.Patch(ctx, act.Claim.Name, types.MergePatchType, data, metav1.PatchOptions{})
	return confirmPatch(j, err, func() (bool, error) {
		claim, err := claims.Get(ctx, act.Claim.Name, metav1.GetOptions{})
		return err == nil && claim.UID == act.Claim.UID && claim.Annotations[volume.AnnSelectedNode] == act.Node, err
	})
}

// confirmPatch returns nil if a conflict is with the patch's own earlier attempt: written reads whether the object has
// what was to be written. An object that cannot be read is patched again later.
func confirmPatch(j *task, refusal error, written func() (bool, error)) error {
	if !j.uncertain || !apierrors.IsConflict(refusal) {
		return refusal
	}
	done, err := written()
	switch {
	case err != nil && resultOf(err) == callRefused && !apierrors.IsNotFound(err):
		return fmt.Errorf("reading the object after a conflict: %v", err) // not wrapped: the read was refused, not the patch
	case err != nil:
		return err
	case done:
		return nil
	}
	return refusal
}
