package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"

	"orrery/core/operator/actions"
	"orrery/core/operator/usage"
	"orrery/core/safe/printable"
)

// requestTimeout bounds one request, maxResponseBytes and maxErrorBytes its response.
const (
	//orrery:limit kubelets; a request; it fails, and is made again a while later
	requestTimeout = 5 * time.Second
	//orrery:limit kubelets; a response, in bytes; an error
	maxResponseBytes = 16 << 20
	//orrery:limit kubelets; a response that is an error, in bytes; the rest is not read
	maxErrorBytes = 16 << 10
)

// apiClient makes requests to one API server.
type apiClient struct {
	http    *http.Client
	base    *url.URL
	timeout time.Duration // requestTimeout
}

func newAPIClient(k *rest.Config) (apiClient, error) {
	k = rest.AddUserAgent(rest.CopyConfig(k), "usage")
	client, err := rest.HTTPClientFor(k)
	if err != nil {
		return apiClient{}, fmt.Errorf("connecting to the API server for usage: %w", err)
	}
	base, _, err := rest.DefaultServerUrlFor(k)
	if err != nil {
		return apiClient{}, fmt.Errorf("finding the API server for usage: %w", err)
	}
	return apiClient{client, base, requestTimeout}, nil
}

// responseError is a response with another status than 200.
type responseError struct {
	code int
	// status is the API server's; zero if a component behind it responded, with text.
	status metav1.Status
	text   string
}

func (r *responseError) Error() string {
	text := r.status.Message
	if text == "" {
		text = r.text
	}
	if text == "" {
		text = http.StatusText(r.code)
	}
	return fmt.Sprintf("%d: %s", r.code, printable.Line(text, usage.ReasonLength))
}

// byAPIServer reports whether the API server itself responded, and not a component behind it.
func (r *responseError) byAPIServer() bool { return r.status.Message != "" }

func asResponseError(err error, code int) (*responseError, bool) {
	var r *responseError
	return r, errors.As(err, &r) && r.code == code
}

// forbidden reports whether an RBAC rule is missing.
func forbidden(err error) bool {
	r, ok := asResponseError(err, http.StatusForbidden)
	return ok && r.byAPIServer()
}

// get reads the path made of these elements.
func (c apiClient) get(ctx context.Context, elements ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.JoinPath(elements...).String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.unanswered(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, readResponseError(response)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponseBytes+1))
	switch {
	case err != nil:
		return nil, c.unanswered(ctx, err)
	case len(body) > maxResponseBytes:
		return nil, fmt.Errorf("the answer is longer than %d MiB", maxResponseBytes>>20)
	}
	return body, nil
}

// unanswered explains why there was no answer, without the address.
func (c apiClient) unanswered(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", c.timeout)
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	return errors.New(printable.Line(err.Error(), usage.ReasonLength))
}

func readResponseError(response *http.Response) error {
	r := &responseError{code: response.StatusCode}
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes)) // a partial text is enough
	if err := json.Unmarshal(text, &r.status); err != nil || r.status.Kind != "Status" {
		r.status, r.text = metav1.Status{}, strings.TrimSpace(string(text))
	}
	return r
}

// checkNames rejects names that the API server would not admit, since they become part of a path.
func checkNames(names ...string) error {
	for _, name := range names {
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
			return fmt.Errorf("%q is no name that could be asked for: %s", printable.Line(name, 80), problems[0])
		}
	}
	return nil
}

// The RBAC rules of the requests.
var (
	proxyRule       = actions.Rule{Resource: "nodes/proxy", Verb: "get"}
	podMetricsRule  = actions.Rule{Group: metricsGroup, Resource: "pods", Verb: "get"}
	nodeMetricsRule = actions.Rule{Group: metricsGroup, Resource: "nodes", Verb: "get"}
)
