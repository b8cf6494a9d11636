package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orrery/cmd/app"
)

// folder is where the pages are in the repository.
const folder = "docs/commands"

func main() {
	if err := write(folder); err != nil {
		fmt.Fprintln(os.Stderr, "commands:", err)
		os.Exit(1)
	}
}

// write writes all pages into a folder, and removes those of commands that are gone.
func write(folder string) error {
	pages, err := pages()
	if err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	left, err := strays(folder, pages)
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// strays are the Markdown files in a folder that are none of the pages.
func strays(folder string, pages map[string]string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(files, func(path string) bool { _, is := pages[filepath.Base(path)]; return is }), nil
}

// pages returns the text of each page by the name of its file.
func pages() (map[string]string, error) {
	commands, err := app.HelpPages()
	if err != nil {
		return nil, fmt.Errorf("reading the help of the commands: %w", err)
	}
	all := map[string]string{}
	for i := range commands {
		c := &commands[i]
		var related []app.HelpPage
		for _, other := range commands {
			if parentOf(other.Words) == c.Words {
				related = append(related, other)
			}
		}
		all[fileOf(c.Words)] = page(c, related)
	}
	return all, nil
}

func fileOf(words string) string { return strings.ReplaceAll(words, " ", "_") + ".md" }

// parentOf returns the words of the command above one, empty for orrery itself.
func parentOf(words string) string { return words[:max(strings.LastIndex(words, " "), 0)] }
