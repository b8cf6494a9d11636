package live

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientset "k8s.io/client-go/kubernetes"
)

// DryRun has an API server admit objects that it does not keep: every request has dryRun=All.
type DryRun struct {
	ctx    context.Context
	client clientset.Interface
	may    map[string]bool
}

// NewDryRun returns a DryRun whose requests end with a context.
func NewDryRun(ctx context.Context, client clientset.Interface) *DryRun {
	return &DryRun{ctx, client, map[string]bool{}}
}

// May reports whether the user may create objects of a resource in a namespace. It asks, so that no request is made in vain.
func (d *DryRun) May(resource schema.GroupVersionResource, namespace string) bool {
	key := resource.String() + " " + namespace
	if known, asked := d.may[key]; asked {
		return known
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "create", Group: resource.Group, Resource: resource.Resource},
	}}
	answer, err := d.client.AuthorizationV1().SelfSubjectAccessReviews().Create(d.ctx, review, metav1.CreateOptions{})
	d.may[key] = err == nil && answer.Status.Allowed
	return d.may[key]
}

// Admit returns an object, as JSON, as the API server would keep it.
func (d *DryRun) Admit(resource schema.GroupVersionResource, namespace string, object []byte) ([]byte, error) {
	path := []string{"/apis", resource.Group, resource.Version}
	if resource.Group == "" {
		path = []string{"/api", resource.Version}
	}
	client := d.client.Discovery().RESTClient()
	if client == nil {
		return nil, fmt.Errorf("creating a dry run of %s: this client makes no requests", resource.Resource)
	}
	result := client.Post().AbsPath(append(path, "namespaces", namespace, resource.Resource)...).
		Param("dryRun", metav1.DryRunAll).Param("fieldManager", "orrery").
		SetHeader("Content-Type", "application/json").SetHeader("Accept", "application/json").
		Body(object).Do(d.ctx)
	if err := result.Error(); err != nil { // Raw has it without the server's words
		return nil, err
	}
	return result.Raw()
}
