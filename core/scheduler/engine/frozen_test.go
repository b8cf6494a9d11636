package engine_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"testing"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/race"
	"orrery/core/world/memory"
)

var (
	updateFrozen = flag.Bool("update-frozen", false, "write testdata/frozen/1.35.txt anew; only if a generator draws other scenarios than before")
	frozenBlocks = flag.Int("frozen-blocks", race.Few(10, 1), "how many blocks of each generator's scenarios are compared, of the fifty that are frozen")
)

const (
	frozenFile  = "testdata/frozen/1.35.txt"
	frozenInAll = 50  // blocks
	perFrozen   = 100 // scenarios of a block
)

// frozenGenerators draw the scenarios whose decisions are frozen.
var frozenGenerators = []struct {
	name string
	run  func(t *testing.T, seed uint64) engine.Digest
}{
	{"pods-and-nodes", func(t *testing.T, seed uint64) engine.Digest {
		return decidedIn(newEngine(t, seed), scenario(seed, memory.Faults{}))
	}},
	{"storage", func(t *testing.T, seed uint64) engine.Digest {
		return decidedIn(newStorageEngine(t, seed), storageScenario(seed, memory.Faults{}))
	}},
	{"devices", func(t *testing.T, seed uint64) engine.Digest {
		return decidedIn(newEngine(t, seed), deviceScenario(seed, memory.Faults{}))
	}},
}

func decidedIn(e *engine.Engine, c *memory.Cluster) engine.Digest {
	run(e, c, start.Add(scenarioLength+scenarioTail))
	return e.Digest()
}

// TestFrozen_DecidesAs135DidBeforeReleasesWere compares what is decided as 1.35, the release of who asks for none, with what was decided when there was
// no other: 5,000 scenarios of each generator, a hash of their digests for each hundred.
func TestFrozen_DecidesAs135DidBeforeReleasesWere(t *testing.T) {
	t.Parallel()
	if *updateFrozen {
		*frozenBlocks = frozenInAll
	}
	frozen := readFrozen(t)
	var now bytes.Buffer
	for _, g := range frozenGenerators {
		for block := range *frozenBlocks {
			hash := fnv.New64a()
			for i := range uint64(perFrozen) {
				fmt.Fprintln(hash, g.run(t, uint64(block)*perFrozen+i))
			}
			key, is := fmt.Sprintf("%s %d", g.name, block*perFrozen), fmt.Sprintf("%016x", hash.Sum64())
			fmt.Fprintln(&now, key, is)
			if was := frozen[key]; was != is && !*updateFrozen {
				t.Errorf("the hundred scenarios of %s from seed %d on are decided as %s, and were as %s", g.name, block*perFrozen, is, was)
			}
		}
	}
	if *updateFrozen {
		if err := os.WriteFile(frozenFile, now.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readFrozen(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(frozenFile)
	if err != nil && !*updateFrozen {
		t.Fatal(err)
	}
	frozen := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var generator, hash string
		var seed int
		if _, err := fmt.Sscan(lines.Text(), &generator, &seed, &hash); err != nil {
			t.Fatalf("%s: %q: %v", frozenFile, lines.Text(), err)
		}
		frozen[fmt.Sprint(generator, " ", seed)] = hash
	}
	return frozen
}
