package usage

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

	"orrery/core/operate"
	"orrery/core/printable"
)

// How long one request may take, how much of an answer is read, and how much of what is wrong is told.
const (
	answerWithin  = 5 * time.Second
	answerMost    = 16 << 20
	refusalMost   = 16 << 10
	longestReason = 160
)

// caller makes requests of one API server.
type caller struct {
	client *http.Client
	base   *url.URL
	within time.Duration // answerWithin
}

func newCaller(k *rest.Config) (caller, error) {
	k = rest.AddUserAgent(rest.CopyConfig(k), "usage")
	client, err := rest.HTTPClientFor(k)
	if err != nil {
		return caller{}, fmt.Errorf("connecting to the API server for usage: %w", err)
	}
	base, _, err := rest.DefaultServerUrlFor(k)
	if err != nil {
		return caller{}, fmt.Errorf("finding the API server for usage: %w", err)
	}
	return caller{client, base, answerWithin}, nil
}

// refusal is an answer other than the one that was wanted.
type refusal struct {
	code int
	// status is what the API server says of it; its zero value if somebody else answered, whose words are in text.
	status metav1.Status
	text   string
}

func (r *refusal) Error() string {
	text := r.status.Message
	if text == "" {
		text = r.text
	}
	if text == "" {
		text = http.StatusText(r.code)
	}
	return fmt.Sprintf("%d: %s", r.code, printable.Line(text, longestReason))
}

// byAPIServer tells whether it was the API server that refused, and not whoever is behind it.
func (r *refusal) byAPIServer() bool { return r.status.Message != "" }

func refusedWith(err error, code int) (*refusal, bool) {
	var r *refusal
	return r, errors.As(err, &r) && r.code == code
}

// forbidden tells whether it is for want of an RBAC rule that something was not answered.
func forbidden(err error) bool {
	r, ok := refusedWith(err, http.StatusForbidden)
	return ok && r.byAPIServer()
}

// get asks for a path, whose elements are names.
func (c caller) get(ctx context.Context, elements ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.JoinPath(elements...).String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return nil, c.unanswered(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, readRefusal(response)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, answerMost+1))
	switch {
	case err != nil:
		return nil, c.unanswered(ctx, err)
	case len(body) > answerMost:
		return nil, fmt.Errorf("the answer is longer than %d MiB", answerMost>>20)
	}
	return body, nil
}

// unanswered says why there was no answer, without the address that everybody knows.
func (c caller) unanswered(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", c.within)
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	return errors.New(printable.Line(err.Error(), longestReason))
}

func readRefusal(response *http.Response) error {
	r := &refusal{code: response.StatusCode}
	text, _ := io.ReadAll(io.LimitReader(response.Body, refusalMost)) // what can be read of it will do
	if err := json.Unmarshal(text, &r.status); err != nil || r.status.Kind != "Status" {
		r.status, r.text = metav1.Status{}, strings.TrimSpace(string(text))
	}
	return r
}

// proper makes sure that names are such as the API server gives, as they become part of a path.
func proper(names ...string) error {
	for _, name := range names {
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
			return fmt.Errorf("%q is no name that could be asked for: %s", printable.Line(name, 80), problems[0])
		}
	}
	return nil
}

// The rules that it takes to ask.
var (
	proxyRule       = operate.Rule{Resource: "nodes/proxy", Verb: "get"}
	podMetricsRule  = operate.Rule{Group: metricsGroup, Resource: "pods", Verb: "get"}
	nodeMetricsRule = operate.Rule{Group: metricsGroup, Resource: "nodes", Verb: "get"}
)
