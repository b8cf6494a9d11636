package reuse

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func sign(text string) Signature { return Signature(nil).Text(text) }

func TestTables_SecondPodOfSignatureGetsTable(t *testing.T) {
	tables := New(1 << 20)
	if tables.Find(sign("web"), 3, 0) != nil {
		t.Error("the first pod has nothing to reuse, and no table")
	}
	table := tables.Find(sign("web"), 3, 0)
	if table == nil {
		t.Fatal("the second pod has no table")
	}
	table.Cell(2).Generation = 7
	if again := tables.Find(sign("web"), 3, 0); again != table || again.Cell(2).Generation != 7 {
		t.Error("the third pod does not get what the second left")
	}
	if tables.Find(sign("db"), 3, 0) != nil {
		t.Error("another signature gets the table")
	}
}

func TestTables_GrowWithCluster(t *testing.T) {
	tables := New(1 << 20)
	tables.Find(sign("web"), 2, 1)
	table := tables.Find(sign("web"), 2, 1)
	table.Cell(1).Sum, table.Scaled[0][1] = 5, 6
	table = tables.Find(sign("web"), 4, 2)
	if table.Cell(1).Sum != 5 || table.Scaled[0][1] != 6 {
		t.Error("what was known of a node is lost")
	}
	if *table.Cell(3) != (Cell{}) || len(table.Scaled[0]) != 4 || len(table.Scaled[1]) != 4 {
		t.Error("there is no room for the new nodes")
	}
}

func TestTables_LeastRecentlyUsedGoesFirst(t *testing.T) {
	const cells = 100
	one := New(1 << 30)
	one.Find(sign("a"), cells, 0)
	one.Find(sign("a"), cells, 0)
	tables := New(3 * one.Stats().Bytes)
	for _, name := range []string{"a", "b", "c"} {
		tables.Find(sign(name), cells, 0)
		tables.Find(sign(name), cells, 0).Cell(0).Generation = 1
	}
	tables.Find(sign("a"), cells, 0) // b is now the one that was not used for the longest time
	tables.Find(sign("d"), cells, 0)
	tables.Find(sign("d"), cells, 0)
	if got := tables.Stats(); got.Evicted != 1 || got.Tables != 3 || got.Bytes > 3*one.Stats().Bytes {
		t.Errorf("after a fourth table the counts are %+v", got)
	}
	if tables.Find(sign("b"), cells, 0).Cell(0).Generation != 0 {
		t.Error("the evicted table is still there")
	}
	if tables.Find(sign("c"), cells, 0) == nil {
		t.Error("c came before, and is not known")
	}
}

// The bytes of the tables are the sum of theirs, and within the limit as long as more than one is there.
func TestTables_StayWithinLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 20_000
		tables := New(limit)
		for range rapid.IntRange(1, 60).Draw(t, "pods") {
			tables.Find(sign(rapid.StringMatching(`[a-z]`).Draw(t, "signature")), rapid.IntRange(0, 200).Draw(t, "nodes"), rapid.IntRange(0, 2).Draw(t, "scaled"))
			sum, n := 0, 0
			for _, table := range tables.bySignature {
				sum, n = sum+table.Value.bytes(), n+1
			}
			got := tables.Stats()
			if got.Bytes != sum || got.Tables != n {
				t.Fatalf("counted %+v, there are %d tables of %d bytes", got, n, sum)
			}
			if n > 1 && sum > limit {
				t.Fatalf("%d tables take %d bytes, the limit is %d", n, sum, limit)
			}
		}
	})
}

// Tables of a cluster without nodes take no bytes, and are bounded all the same.
func TestTables_AreFew(t *testing.T) {
	tables := New(1 << 20)
	for i := range 2 * maxSignatures {
		name := fmt.Sprint(i)
		tables.Find(sign(name), 0, 0)
		tables.Find(sign(name), 0, 0)
	}
	if got := tables.Stats(); got.Tables != maxSignatures || got.Evicted != maxSignatures {
		t.Errorf("after %d signatures the counts are %+v", 2*maxSignatures, got)
	}
}

// Two different lists of parts never make one signature.
func TestSignature_TellsPartsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringMatching(`[ab\x00\x01]{0,3}`)
		a, b := rapid.SliceOfN(part, 0, 4).Draw(t, "a"), rapid.SliceOfN(part, 0, 4).Draw(t, "b")
		n, m := rapid.Int64().Draw(t, "n"), rapid.Int64().Draw(t, "m")
		alike := len(a) == len(b) && n == m
		for i := 0; alike && i < len(a); i++ {
			alike = a[i] == b[i]
		}
		one, other := Signature(nil).Texts(a).Number(n), Signature(nil).Texts(b).Number(m)
		if (string(one) == string(other)) != alike {
			t.Fatalf("%q with %d is signed %x, %q with %d is signed %x", a, n, one, b, m, other)
		}
	})
}

func TestSignature_PairsHaveNoOrder(t *testing.T) {
	want := string(Signature(nil).Pairs(map[string]string{"a": "1", "b": "2", "c": "3"}))
	for range 20 {
		if got := string(Signature(nil).Pairs(map[string]string{"c": "3", "b": "2", "a": "1"})); got != want {
			t.Fatalf("one map is signed %x and %x", want, got)
		}
	}
}

// Scores hold for a generation, and where the number of nodes matters, for that.
func TestCell_HasScores(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cell  Cell
		nodes int
		want  bool
	}{
		{"of the same generation", Cell{Scored: 7}, 3, true},
		{"of another one", Cell{Scored: 6}, 3, false},
		{"for as many nodes", Cell{Scored: 7, Nodes: 3}, 3, true},
		{"for fewer", Cell{Scored: 7, Nodes: 2}, 3, false},
	} {
		if got := tt.cell.HasScores(7, tt.nodes); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestTables_LimitDropsTheOldest(t *testing.T) {
	const cells = 100
	tables := New(1 << 30)
	for _, name := range []string{"a", "b", "c", "a"} {
		tables.Find(sign(name), cells, 0)
		tables.Find(sign(name), cells, 0).Cell(0).Generation = 1
	}
	one := tables.Stats().Bytes / 3
	tables.Limit(2*one + 1)
	if got := tables.Stats(); got.Tables != 2 || got.Evicted != 1 || tables.Look(sign("b")) != nil {
		t.Errorf("with room for two tables of three the counts are %+v", got)
	}
	tables.Limit(1)
	if got := tables.Stats(); got.Tables != 0 || got.Bytes != 0 {
		t.Errorf("without room the counts are %+v", got)
	}
	tables.Limit(1 << 30)
	if tables.Find(sign("a"), cells, 0) == nil || tables.Find(sign("c"), cells, 0) == nil || tables.Stats().Tables != 2 {
		t.Errorf("with room again the counts are %+v", tables.Stats())
	}
}
