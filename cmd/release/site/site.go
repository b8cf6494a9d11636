// Package site makes a static site of the documentation: the Markdown files of the repository, what of the source they link to, and a search
// over all of it. It needs no server and asks none: every page works from a file.
//
//	README.md, docs/…, ──► markdown: links, headings ──► page ──► VERSION/….html
//	what they link to ───► source: a file as it is, a folder as a list ──┘
//	the sections ────────► search ──► VERSION/search.js
//
// Beside the versions are versions.js, by which a page offers the others, and index.html, which leads to the newest.
package site

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// front is the document that becomes the first page, and tasks the one whose headings and links are the menu.
const (
	front = "README.md"
	tasks = "docs/index.md"
)

// Site is the documentation of a version.
type Site struct {
	Source  fs.FS
	Version string
	pages   map[string]*page  // by the path in the source
	files   map[string][]byte // what is copied, by path in the site
	menu    []section
}

// page is a page of the site.
type page struct {
	source, target string // paths in the source and in the site
	title, body    string
	sections       []part
	links          []string // paths in the source that it links to
}

// Write makes the site of the version in a folder, in place of an earlier one.
func (s *Site) Write(folder string) error {
	s.pages, s.files = map[string]*page{}, map[string][]byte{}
	if err := s.read(); err != nil {
		return err
	}
	s.menu = s.tasks()
	out := map[string][]byte{}
	maps.Copy(out, s.files)
	for _, p := range s.pages {
		text, err := s.html(p)
		if err != nil {
			return fmt.Errorf("writing %s: %w", p.target, err)
		}
		out[p.target] = text
	}
	index, err := s.search()
	if err != nil {
		return err
	}
	out["search.js"] = index
	for _, name := range []string{"site.css", "site.js"} {
		if out[name], err = look.ReadFile("look/" + name); err != nil {
			return err
		}
	}
	at := filepath.Join(folder, s.Version)
	if err := os.RemoveAll(at); err != nil {
		return err
	}
	for name, content := range out {
		file := filepath.Join(at, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return writeVersions(folder, s.Version)
}

// read reads all documents, and then what they link to.
func (s *Site) read() error {
	documents, err := documents(s.Source)
	if err != nil {
		return err
	}
	for _, name := range documents {
		text, err := fs.ReadFile(s.Source, name)
		if err != nil {
			return err
		}
		s.pages[name] = &page{source: name, target: targetOf(name)}
		if err := s.render(s.pages[name], text); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
	}
	for _, name := range documents {
		for _, to := range s.pages[name].links {
			if err := s.include(to); err != nil {
				return fmt.Errorf("reading what %s links to: %w", name, err)
			}
		}
	}
	return nil
}

// documents are the Markdown files in the root and in docs, but for parts of others.
func documents(source fs.FS) (all []string, err error) {
	if all, err = fs.Glob(source, "*.md"); err != nil {
		return nil, err
	}
	err = fs.WalkDir(source, "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".md" && name != "docs/limits/cluster.md" {
			all = append(all, name)
		}
		return err
	})
	slices.Sort(all)
	return all, err
}

// targetOf is where a path of the source is in the site: a document beside its like, the first page at the top, and source in a folder.
func targetOf(name string) string {
	switch {
	case name == front:
		return "index.html"
	case path.Ext(name) == ".md":
		return strings.TrimSuffix(name, ".md") + ".html"
	case path.Ext(name) == ".svg":
		return name
	}
	return path.Join("source", name) + ".html"
}

// include adds what a document links to and is no document: a picture as it is, a file as text, a folder as a list.
func (s *Site) include(name string) error {
	if s.pages[name] != nil {
		return nil
	}
	info, err := fs.Stat(s.Source, name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return s.includeFolder(name)
	}
	content, err := fs.ReadFile(s.Source, name)
	if err != nil {
		return err
	}
	if path.Ext(name) == ".svg" {
		s.files[name] = content
		return nil
	}
	s.pages[name] = &page{source: name, target: targetOf(name), title: name, body: "<h1>" + escape(name) + "</h1>\n<pre tabindex=\"0\"><code>" + escape(string(content)) + "</code></pre>\n"}
	return nil
}

func (s *Site) includeFolder(name string) error {
	entries, err := fs.ReadDir(s.Source, name)
	if err != nil {
		return err
	}
	var list bytes.Buffer
	fmt.Fprintf(&list, "<h1>%s</h1>\n<p>In this folder of the source:</p>\n<ul class=\"files\">\n", escape(name+"/"))
	for _, e := range entries {
		fmt.Fprintf(&list, "<li><code>%s</code></li>\n", escape(e.Name()))
	}
	list.WriteString("</ul>\n")
	s.pages[name] = &page{source: name, target: targetOf(name), title: name + "/", body: list.String()}
	return nil
}
