package live_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// newClaim is the name of the claims that are created: their path has none.
const newClaim = "new"

// onResourceClaim serves one claim for devices: an update leaves the status, and an update of the status everything else.
func (s *stub) onResourceClaim(w http.ResponseWriter, r *http.Request, key, sub string) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	held, _ := s.objects["resourceclaims"][key].(*resourcev1.ResourceClaim)
	_, name, _ := strings.Cut(key, "/")
	if r.Method != http.MethodGet {
		s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+name+" "+sub))
	}
	switch {
	case r.Method == http.MethodPost && held != nil:
		refuse(w, http.StatusConflict, metav1.StatusReasonAlreadyExists, fmt.Sprintf("%q already exists", name))
	case r.Method == http.MethodPost:
		created := &resourcev1.ResourceClaim{}
		_ = json.Unmarshal(body, created)
		s.store(created)
		reply(w, created)
	case held == nil:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("resourceclaims %q not found", name))
	case r.Method == http.MethodGet:
		reply(w, held)
	case r.Method == http.MethodDelete:
		s.drop(held)
		reply(w, held)
	case r.Method == http.MethodPatch:
		was, _ := json.Marshal(held)
		is, err := strategicpatch.StrategicMergePatch(was, body, resourcev1.ResourceClaim{})
		if err != nil {
			refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
			return
		}
		s.writeClaim(w, held, is, sub)
	default:
		s.writeClaim(w, held, body, sub)
	}
}

// writeClaim refuses another version or a namesake.
func (s *stub) writeClaim(w http.ResponseWriter, held *resourcev1.ResourceClaim, body []byte, sub string) {
	given, next := &resourcev1.ResourceClaim{}, held.DeepCopy()
	if err := json.Unmarshal(body, given); err != nil {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
		return
	}
	if given.UID != held.UID || given.ResourceVersion != "" && given.ResourceVersion != held.ResourceVersion {
		refuse(w, http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified")
		return
	}
	if sub == "status" {
		next.Status = given.Status
	} else {
		next.ObjectMeta.Finalizers, next.Spec = given.Finalizers, given.Spec
	}
	s.store(next)
	reply(w, s.objects["resourceclaims"][keyOf(next)])
}

func (s *stub) resourceClaim(name string) *resourcev1.ResourceClaim {
	s.mu.Lock()
	defer s.mu.Unlock()
	claim, _ := s.objects["resourceclaims"]["default/"+name].(*resourcev1.ResourceClaim)
	return claim
}
