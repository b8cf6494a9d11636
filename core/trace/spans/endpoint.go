package spans

import (
	"context"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"orrery/core/safe/address"
)

// Endpoint is an OTLP collector, which is reached by gRPC.
type Endpoint struct {
	client otlptrace.Client
	url    string
}

// IsEndpoint reports whether a target is an endpoint, and not a file.
func IsEndpoint(target string) bool {
	return strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://")
}

// Dial opens an endpoint, such as http://localhost:4317, or https:// for TLS. Headers, certificates and time limits are those of the variables
// OTEL_EXPORTER_OTLP_*, which OpenTelemetry's exporter reads.
func Dial(ctx context.Context, url string) (*Endpoint, error) {
	e := &Endpoint{otlptracegrpc.NewClient(otlptracegrpc.WithEndpointURL(url)), address.WithoutCredentials(url)}
	if err := e.client.Start(ctx); err != nil {
		return nil, fmt.Errorf("opening %s: %w", e.url, err)
	}
	return e, nil
}

// Send returns what sends batches until the context ends. Refusals that pass are retried for a minute.
func (e *Endpoint) Send(ctx context.Context) Batch {
	return func(batch []*tracepb.ResourceSpans) error {
		if err := e.client.UploadTraces(ctx, batch); err != nil {
			return fmt.Errorf("sending spans to %s by gRPC: %w", e.url, err)
		}
		return nil
	}
}

// Close ends the connection.
func (e *Endpoint) Close(ctx context.Context) error { return e.client.Stop(ctx) }
