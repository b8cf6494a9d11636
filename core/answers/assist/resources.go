package assist

import (
	"context"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orrery/core/safe/printable"
)

// addResources adds what can be read without a question: recordings, the scenarios that some were made from, and schemas.
func addResources(s *mcp.Server, o *Options) {
	for i := range o.Sources {
		source := &o.Sources[i]
		if !source.Recording {
			continue
		}
		s.AddResource(&mcp.Resource{
			URI: uri("recordings", source.Name), Name: source.Name, Title: line(source.Title), Description: line(source.Description), MIMEType: "application/json",
		}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			text, _, err := o.Ask(ctx, []string{"trace", "info", "--output=json", "--", source.File}, "")
			if err != nil {
				return nil, err
			}
			return contents(r.Params.URI, "application/json", string(text)), nil
		})
		if source.Story != "" {
			s.AddResource(&mcp.Resource{
				URI: uri("stories", source.Name), Name: source.Name + " (scenario)", Title: line(source.Title), MIMEType: "application/yaml",
				Description: "the scenario from which the recording " + source.Name + " was made",
			}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return contents(r.Params.URI, "application/yaml", source.Story), nil
			})
		}
	}
	for name := range sorted(o.Schemas) {
		s.AddResource(&mcp.Resource{
			URI: uri("schemas", name), Name: name, Title: "JSON Schema of " + name, Description: "the fields of the document " + name, MIMEType: "application/schema+json",
		}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return contents(r.Params.URI, "application/schema+json", o.Schemas[name]), nil
		})
	}
}

func uri(kind, name string) string { return "orrery://" + kind + "/" + url.PathEscape(name) }

func line(text string) string {
	return printable.Line(strings.Join(strings.Fields(text), " "), maxText)
}

func contents(uri, kind, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}
}
