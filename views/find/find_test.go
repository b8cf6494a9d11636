package find

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func indexOf(things ...Thing) *Index {
	x := &Index{}
	x.Add(things, nil)
	return x
}

func names(list []Match) []string {
	var all []string
	for _, m := range list {
		all = append(all, m.Name)
	}
	return all
}

var few = []Thing{
	{Kind: Command, Name: "zoom", About: "the pane without borders", Shortcut: "z"},
	{Kind: Pane, Name: "nodes", About: "all nodes"},
	{Kind: Pod, Name: "shop/search-77b57dd7d-8qv6c", About: "shop-east-1"},
	{Kind: Pod, Name: "shop/web-6d5f8c-2fr5m", About: "shop-east-2"},
	{Kind: Pod, Name: "shop/web-6d5f8c-9xk2p", About: "unschedulable", Bad: true},
	{Kind: Node, Name: "shop-east-1", About: "zone east"},
	{Kind: Node, Name: "ip-10-0-3-17.ec2.internal"},
	{Kind: Theme, Name: "Ünïcode"},
}

func TestFind_BestFirst(t *testing.T) {
	for query, want := range map[string][]string{
		"8qv6c":        {"shop/search-77b57dd7d-8qv6c"},                                                   // the end of a name
		"77b":          {"shop/search-77b57dd7d-8qv6c"},                                                   // its middle
		"web":          {"shop/web-6d5f8c-9xk2p", "shop/web-6d5f8c-2fr5m"},                                // the one in trouble first
		"shop/web 2fr": {"shop/web-6d5f8c-2fr5m"},                                                         // two words
		"borders":      {"zoom"},                                                                          // what is said about it
		"node east":    {"shop-east-1"},                                                                   // the kind
		"z":            {"zoom", "shop-east-1"},                                                           // a key, and text about a thing
		"se8q":         {"shop/search-77b57dd7d-8qv6c"},                                                   // letters in their order
		"east-1":       {"shop-east-1", "shop/search-77b57dd7d-8qv6c"},                                    // a name before what is said about another
		"NODES":        {"nodes"},                                                                         // in whatever case
		"ünï":          {"Ünïcode"},                                                                       //
		"17.ec2":       {"ip-10-0-3-17.ec2.internal"},                                                     //
		"nothing here": nil,                                                                               //
		"pod":          {"shop/web-6d5f8c-9xk2p", "shop/search-77b57dd7d-8qv6c", "shop/web-6d5f8c-2fr5m"}, // all of a kind
	} {
		got, total := indexOf(few...).Find(query)
		if !slices.Equal(names(got), want) || total != len(want) {
			t.Errorf("%q finds %q of %d, want %q", query, names(got), total, want)
		}
	}
}

func TestFind_RecentAndBadFirstWithoutQuery(t *testing.T) {
	x := &Index{}
	x.Add(few, []Ref{{Node, "shop-east-1"}, {Pod, "shop/web-6d5f8c-2fr5m"}})
	got, _ := x.Find(" ")
	if want := []string{"shop-east-1", "shop/web-6d5f8c-2fr5m", "shop/web-6d5f8c-9xk2p", "zoom", "nodes"}; !slices.Equal(names(got)[:5], want) {
		t.Errorf("without a query it is %q, want %q", names(got)[:5], want)
	}
}

// marked returns the marked parts of a name.
func marked(m Match) string {
	var b strings.Builder
	for i, is := range m.Marks {
		if is {
			b.WriteByte(m.Name[i])
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), " ") {
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

func TestFind_MarksWhatMatches(t *testing.T) {
	for query, want := range map[string]string{"8qv6c": "8qv6c", "web 9xk": "web 9xk", "borders": "", "se8q": "se 8q"} {
		got, _ := indexOf(few...).Find(query)
		if len(got) == 0 || marked(got[0]) != want {
			t.Errorf("%q marks %q in %q, want %q", query, marked(got[0]), names(got)[0], want)
		}
	}
}

// TestFind_AgreesWithSlowSearch compares what is found with a search that reads every name whole.
func TestFind_AgreesWithSlowSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-c/-]{1,8}`)
		list := rapid.SliceOfN(name, 0, 60).Draw(t, "names")
		query := rapid.StringMatching(`[a-c -]{0,4}`).Draw(t, "query")
		x := &Index{}
		for _, n := range list {
			x.Add([]Thing{{Kind: Theme, Name: n}}, nil)
		}
		got, total := x.Find(query)
		words := strings.Fields(query)
		contains := 0
		for _, n := range list {
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(n, w) }) {
				contains++
			}
		}
		if contains >= fewMatches && total != contains || total < contains || len(got) != min(total, maxMatches) {
			t.Fatalf("%q in %q: %d found, %d counted, %d have it", query, list, len(got), total, contains)
		}
		for i := range got {
			for _, w := range words {
				if !inOrder(got[i].Name, w) {
					t.Fatalf("%q finds %q", query, got[i].Name)
				}
			}
		}
	})
}

// many are 100,000 pods.
func many() *Index {
	things := make([]Thing, 100_000)
	for i := range things {
		things[i] = Thing{Kind: Pod, Name: fmt.Sprintf("team-%d/service-%d-%08x-%05x", i%40, i%700, i%700*7919, i*104729%0xfffff), About: fmt.Sprintf("node-%d", i%5000)}
	}
	x := &Index{}
	x.Add(things, nil)
	return x
}

// BenchmarkFind measures one key over 100,000 pods: of a text that nearly all have, one that few have, and letters that none has as a text.
func BenchmarkFind(b *testing.B) {
	x := many()
	for _, query := range []string{"s", "service-12", "3f2a1", "team-3 ice-7", "svc9f", "xqzw"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				x.Find(query)
			}
		})
	}
}
