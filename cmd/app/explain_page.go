package app

import (
	"fmt"
	"io"
)

// pageHeight is how many lines an answer has, unless all of it was asked for: a terminal of 24 lines shows the top of it, and what helps.
const pageHeight = 25

// page is lines in blocks. It is cut to its height where the most is said, so that of everything the beginning is there.
type page struct {
	all    bool // it is as high as it needs to be
	below  int  // the lines that come below it
	blocks []*block
	parts  int // that are left out
}

// block is lines below a title; without a title, lines that stand for themselves.
type block struct {
	title string
	items [][]string // an item is shown whole or not at all
	cut   int
	whole bool // nothing of it is cut
	part  bool // it is one of several answers, which is left out before others are
}

func (p *page) block(title string) *block {
	p.blocks = append(p.blocks, &block{title: title})
	return p.blocks[len(p.blocks)-1]
}

// add adds a line of its own.
func (p *page) add(line string) { p.block("").add(line) }

func (b *block) add(lines ...string) { b.items = append(b.items, lines) }

// table adds a table, its columns aligned.
func (p *page) table(title string, table [][]string) {
	if len(table) > 0 {
		b := p.block(title)
		for _, line := range aligned("  ", table) {
			b.add(line)
		}
	}
}

// height counts the blank line before a block, too.
func (b *block) height() int {
	n := 1
	if b.title != "" {
		n++
	}
	for _, item := range b.items {
		n += len(item)
	}
	if b.cut > 0 {
		n++
	}
	return n
}

func (p *page) height() int {
	n := -1
	for _, b := range p.blocks {
		n += b.height()
	}
	return n
}

// fit cuts the page to its height.
func (p *page) fit() {
	for !p.all && p.height()+p.below > pageHeight {
		var longest *block
		last := -1
		for i, b := range p.blocks {
			if b.part {
				last = i
			}
			if !b.whole && len(b.items) > 1 && b.height() > 4 && (longest == nil || b.height() > longest.height()) {
				longest = b
			}
		}
		switch {
		case longest != nil:
			longest.items = longest.items[:len(longest.items)-1]
			longest.cut++
		case last > 1:
			p.blocks = append(p.blocks[:last], p.blocks[last+1:]...)
			p.parts++
		default:
			return
		}
	}
}

func (p *page) write(w io.Writer) {
	p.fit()
	left := p.parts > 0
	for i, b := range p.blocks {
		if left && i > 0 && p.blocks[i-1].part && !b.part {
			fmt.Fprintf(w, "\n… and %d more with -v\n", p.parts)
			left = false
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		if b.title != "" {
			fmt.Fprintln(w, b.title)
		}
		for _, item := range b.items {
			for _, line := range item {
				fmt.Fprintln(w, line)
			}
		}
		if b.cut > 0 {
			fmt.Fprintf(w, "  … and %d more with -v\n", b.cut)
		}
	}
	if left {
		fmt.Fprintf(w, "\n… and %d more with -v\n", p.parts)
	}
}
