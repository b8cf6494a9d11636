package app

import (
	"embed"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// schemas are the JSON Schemas of the documents, which the package's tests write from the Go types with -update.
//
//go:embed schemas/*.json
var schemas embed.FS

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schema of a document that -o json prints",
		Long: `Schema prints the JSON Schema of a document: what "--output json" of the other commands prints, with every field and what it
means. Without a name it lists them. NAME is the kind that a document has, as in PendingPods, which is an Explanation.

A schema allows fields that it does not name, since new ones may come under the same apiVersion; see docs/scripts.md.`,
		Example: `  orrery schema
  orrery schema Explanation >explanation.schema.json
  orrery schema WhatIf | jq .properties`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return schemaNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(c.OutOrStdout(), strings.Join(schemaNames(), "\n"))
				return err
			}
			text, err := schemaOf(args[0])
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), text)
			return err
		},
	}
}

// sameSchema has the kinds of documents that have the fields of another one.
var sameSchema = map[string]string{"PendingPods": "Explanation", "Gangs": "Explanation", "PodGroups": "Explanation", "TraceHash": "TraceCut"}

// schemaNames returns the names of the schemas, in order.
func schemaNames() []string {
	entries, err := schemas.ReadDir("schemas")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// schemaOf returns the text of the schema of a kind of documents.
func schemaOf(kind string) (string, error) {
	name := kind
	if of, is := sameSchema[kind]; is {
		name = of
	}
	if !slices.Contains(schemaNames(), name) {
		return "", fmt.Errorf("there is no schema %q%s; \"orrery schema\" lists them", kind, suggestion(kind, schemaNames()))
	}
	text, err := schemas.ReadFile(path.Join("schemas", name+".json"))
	return string(text), err
}
