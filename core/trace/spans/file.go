package spans

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// ToFile writes each batch as a line of OTLP's JSON, as a collector's file exporter does and its file receiver reads.
func ToFile(to io.Writer) Batch {
	return func(batch []*tracepb.ResourceSpans) error {
		line, err := lineOf(batch)
		if err == nil {
			_, err = to.Write(line)
		}
		if err != nil {
			return fmt.Errorf("writing spans: %w", err)
		}
		return nil
	}
}

// lineOf differs from the usual JSON of a message in the IDs, which OTLP writes in hexadecimal digits. The keys are sorted, so that the bytes
// are the same each time.
func lineOf(batch []*tracepb.ResourceSpans) ([]byte, error) {
	message, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(&coltracepb.ExportTraceServiceRequest{ResourceSpans: batch})
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(message))
	d.UseNumber()
	var all map[string]any
	if err := d.Decode(&all); err != nil {
		return nil, err
	}
	inHex(all)
	line, err := json.Marshal(all)
	return append(line, '\n'), err
}

// inHex replaces the IDs in a message.
func inHex(in any) {
	switch v := in.(type) {
	case []any:
		for _, item := range v {
			inHex(item)
		}
	case map[string]any:
		for key, value := range v {
			id, is := value.(string)
			if !is || key != "traceId" && key != "spanId" && key != "parentSpanId" {
				inHex(value)
				continue
			}
			if raw, err := base64.StdEncoding.DecodeString(id); err == nil {
				v[key] = hex.EncodeToString(raw)
			}
		}
	}
}
