package assist

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orrery/core/safe/printable"
)

// prompts are the usual questions, with the tools that answer them. {NAME} stands for an argument.
var prompts = []struct {
	name, title, text string
	arguments         []string // the required ones
}{
	{
		"whats-pending", "What is pending, and why?",
		"Which pods are pending, why, and what would help? Call the tool pending. For each group say the cause in one sentence, and the change that was tried, with its command. Say the time that the answer speaks of.",
		nil,
	},
	{
		"why-pending", "Why is this pod pending?",
		"Why is the pod {pod} pending, and what would let it be scheduled? Call explain_pod. Give the summary as the cause, the strongest evidence, and those remedies whose places is true, each with its effect and command. If there is none, say what the nearest node lacks. Propose no change that was not tried: try it with what_if first.",
		[]string{"pod"},
	},
	{
		"can-i-drain", "Can I drain this node?",
		"What happens if the node {node} is drained? Call what_if with the change \"drain {node}\". Say whether it finishes, which pods would be pending and why, and which disruption budgets block it with their remedies. Do not drain anything.",
		[]string{"node"},
	},
	{
		"will-it-fit", "Would these objects fit?",
		"Would these objects fit, before they are created? Call fit with the manifests of {manifests}. Say whether every pod gets a node and whom they preempt; if not, the cause for the first pod, and ask fit with nodes how few new nodes it would take. Create nothing.",
		[]string{"manifests"},
	},
	{
		"what-happened", "What happened to this pod?",
		"What happened to the pod {pod}? Call journey, and for attempts that failed explain_pod at the time of the attempt. Tell it in order, with times.",
		[]string{"pod"},
	},
	{
		"before-upgrade", "What would an upgrade change?",
		"What would the scheduler decide otherwise as Kubernetes {release}? Call replay with kubernetes {release} on a recording, and compare with the recorded release and {release}. Say which pods fare otherwise and what another seed alone would explain.",
		[]string{"release"},
	},
}

func addPrompts(s *mcp.Server) {
	for _, p := range prompts {
		described := &mcp.Prompt{Name: p.name, Title: p.title, Description: p.title}
		for _, name := range p.arguments {
			described.Arguments = append(described.Arguments, &mcp.PromptArgument{Name: name, Required: true})
		}
		s.AddPrompt(described, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := p.text
			for _, name := range p.arguments {
				value := r.Params.Arguments[name]
				if value == "" {
					return nil, fmt.Errorf("the prompt %s takes the argument %s", p.name, name)
				}
				text = strings.ReplaceAll(text, "{"+name+"}", printable.Line(value, 300))
			}
			return &mcp.GetPromptResult{Description: p.title, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
		})
	}
}
