package live_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// onVolume serves one volume or claim: it is read and merge-patched.
func (s *stub) onVolume(w http.ResponseWriter, r *http.Request, resource, key string) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.objects[resource][key]
	_, name, _ := strings.Cut(key, "/")
	if r.Method != http.MethodGet {
		s.requests = append(s.requests, fmt.Sprintf("%s %s %s", r.Method, resource, name))
	}
	switch {
	case held == nil:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("%s %q not found", resource, name))
	case r.Method == http.MethodGet:
		reply(w, held)
	case r.Header.Get("Content-Type") != "application/merge-patch+json":
		refuse(w, http.StatusUnsupportedMediaType, "", "only merge patches are known")
	default:
		s.mergePatch(w, held, body)
	}
}

// mergePatch refuses a patch of another version or of a namesake. Decoding into a copy merges: no patch removes a field.
func (s *stub) mergePatch(w http.ResponseWriter, held world.Object, body []byte) {
	next := held.DeepCopyObject().(world.Object)
	if err := json.Unmarshal(body, next); err != nil {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
		return
	}
	if next.GetUID() != held.GetUID() || next.GetResourceVersion() != held.GetResourceVersion() {
		refuse(w, http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified")
		return
	}
	s.store(next)
	reply(w, next)
}

// volume and claim return what the stub holds.
func (s *stub) volume(name string) *v1.PersistentVolume {
	s.mu.Lock()
	defer s.mu.Unlock()
	pv, _ := s.objects["persistentvolumes"]["/"+name].(*v1.PersistentVolume)
	return pv
}

func (s *stub) claim(name string) *v1.PersistentVolumeClaim {
	s.mu.Lock()
	defer s.mu.Unlock()
	claim, _ := s.objects["persistentvolumeclaims"]["default/"+name].(*v1.PersistentVolumeClaim)
	return claim
}
