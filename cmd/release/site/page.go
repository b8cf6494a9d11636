package site

import (
	"bytes"
	"embed"
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed look
var look embed.FS

var layout = template.Must(template.ParseFS(look, "look/page.html"))

func escape(text string) string { return template.HTMLEscapeString(text) }

// section is a group of the menu.
type section struct {
	Title string
	Items []item
	Open  bool
}

// item is a link of the menu or of the contents of a page.
type item struct {
	Title, At string
	Here      bool
}

var menuLink = regexp.MustCompile(`href="([^"#]+)`)

// tasks returns the menu: the headings of the document of tasks, each with the pages that are linked below it and not above.
func (s *Site) tasks() []section {
	top := s.pages[tasks]
	if top == nil {
		return nil
	}
	listed := map[string]bool{top.target: true, "index.html": true}
	all := []section{{Title: "Start", Items: []item{{"Orrery", "index.html", false}, {top.title, top.target, false}}}}
	for i, chunk := range strings.Split(top.body, "<h2")[1:] {
		group := section{Title: top.sections[1+i].title}
		for _, found := range menuLink.FindAllStringSubmatch(chunk, -1) {
			to := path.Join(path.Dir(top.target), found[1])
			for _, p := range s.pages {
				if p.target == to && !listed[to] && path.Ext(p.source) == ".md" {
					listed[to] = true
					group.Items = append(group.Items, item{p.title, to, false})
				}
			}
		}
		all = append(all, group)
	}
	return all
}

// html returns a whole page.
func (s *Site) html(p *page) ([]byte, error) {
	data := struct {
		Title, Version, Root, Top string
		First                     bool
		Menu                      []section
		Contents                  []item
		Body                      template.HTML
	}{
		Title: p.title, Version: s.Version, Root: relative(p.target, ""), Top: relative(p.target, "../"), First: p.source == front,
		Body: template.HTML(p.body), // by goldmark, which leaves HTML in documents out
	}
	for _, group := range s.menu {
		group.Items = slices.Clone(group.Items)
		for i := range group.Items {
			group.Items[i].Here = group.Items[i].At == p.target
			group.Open = group.Open || group.Items[i].Here
		}
		data.Menu = append(data.Menu, group)
	}
	for _, part := range p.sections {
		if part.anchor != "" && strings.Contains(p.body, `<h2 id="`+part.anchor+`"`) {
			data.Contents = append(data.Contents, item{Title: part.title, At: "#" + part.anchor})
		}
	}
	var b bytes.Buffer
	err := layout.Execute(&b, data)
	return b.Bytes(), err
}
