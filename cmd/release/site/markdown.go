package site

import (
	"bytes"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// part is what is below a heading of a page, for the search.
type part struct{ anchor, title, text string }

// render reads a document into a page.
func (s *Site) render(p *page, source []byte) error {
	document := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{seen: map[string]int{}}))))
	err := ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				p.say(" ")
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			anchor, _ := id.([]byte)
			title := words(n, source)
			if n.Level == 1 && p.title == "" {
				p.title, anchor = title, nil
			}
			p.sections = append(p.sections, part{anchor: string(anchor), title: title})
		case *ast.Link:
			n.Destination = []byte(s.follow(p, string(n.Destination)))
		case *ast.Image:
			n.Destination = []byte(s.follow(p, string(n.Destination)))
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				p.say(string(line.Value(source)))
			}
		case *ast.Text:
			if n.Parent().Kind() != ast.KindHeading {
				p.say(textOf(n, source))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, document); err != nil {
		return err
	}
	p.body = accessible(b.String())
	return nil
}

// say adds words to the section that is being read.
func (p *page) say(text string) {
	if n := len(p.sections); n > 0 {
		p.sections[n-1].text += text
	}
}

func textOf(n *ast.Text, source []byte) string {
	text := string(n.Segment.Value(source))
	if n.SoftLineBreak() || n.HardLineBreak() {
		text += " "
	}
	return text
}

// words returns the words in a heading.
func words(heading ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(heading, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if one, is := n.(*ast.Text); is && entering {
			b.WriteString(textOf(one, source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// follow returns a link of a page as it is in the site, and notes what it leads to.
func (s *Site) follow(p *page, to string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "#") {
		return to
	}
	file, anchor, _ := strings.Cut(to, "#")
	name := path.Join(path.Dir(p.source), file)
	p.links = append(p.links, name)
	to = relative(p.target, targetOf(name))
	if anchor != "" {
		to += "#" + anchor
	}
	return to
}

// relative is the way from a page of the site to another.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}

// anchors names headings as hosts of repositories do, and as the links in the documents expect.
type anchors struct{ seen map[string]int }

var linked = regexp.MustCompile(`\]\([^)\s]+\)`)

// Generate is of parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, linked.ReplaceAllString(string(value), ""))
	n := a.seen[name]
	a.seen[name]++
	if n > 0 {
		name += "-" + strconv.Itoa(n)
	}
	return []byte(name)
}

// Put is of parser.IDs.
func (a *anchors) Put(value []byte) { a.seen[string(value)]++ }

var (
	emptyHead  = regexp.MustCompile(`<thead>\n<tr>\n(?:<th[^>]*></th>\n)+</tr>\n</thead>\n`)
	emptyTitle = regexp.MustCompile(`<th([^>]*)></th>`)
)

// accessible makes what can be scrolled reachable by the keyboard, and leaves out headings of columns that say nothing.
func accessible(html string) string {
	html = emptyTitle.ReplaceAllString(emptyHead.ReplaceAllString(html, ""), "<td$1></td>")
	return strings.NewReplacer(
		"<table>", `<div class="table" role="group" aria-label="Table" tabindex="0"><table>`, "</table>", "</table></div>",
		"<pre>", `<pre tabindex="0">`, "<th>", `<th scope="col">`,
	).Replace(html)
}
