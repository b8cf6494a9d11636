package evict

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/kubernetes/pkg/kubelet/eviction"

	"orrery/core/evict/pressure"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

// flagValues are the values of flags of thresholds and minimum reclaims.
type flagValues struct{ Hard, Reclaim []string }

func TestEvictionFlags_Same(t *testing.T) {
	verdicts := difftest.Coverage{}
	count := difftest.Cases[flagValues]{
		Draw:   drawFlags,
		Differ: func(v flagValues) string { return flagsDiffer(v, verdicts) },
		Print:  difftest.JSON[flagValues],
	}.Check(t, comparisons.EvictionFlags.Cases)
	verdicts.Require(t, count, "taken", "refused")
}

func drawFlags(seed uint64, number int) flagValues {
	r := rand.New(rand.NewPCG(seed+uint64(number), 4))
	draw := func(separator string, values ...string) (all []string) {
		for range r.IntN(3) {
			var pairs []string
			for range r.IntN(4) {
				signal := pick(r, "memory.available", "nodefs.available", "imagefs.inodesFree", "pid.available", "memory.available", "cpu.available")
				pair := signal + pick(r, separator, separator, separator, separator, separator, separator, "", "<", "=", ">") + pick(r, values...)
				pairs = append(pairs, pick(r, pair, pair, pair, pair, pair, ""))
			}
			all = append(all, strings.Join(pairs, ","))
		}
		return all
	}
	return flagValues{draw("<", "100Mi", "1Gi", "10%", "0%", "5%"), draw("=", "0", "1Gi", "10%")}
}

func flagsDiffer(v flagValues, verdicts difftest.Coverage) string {
	hard, reclaim := map[string]string{}, map[string]string{}
	errT := setFlags(cliflag.NewLangleSeparatedMapStringString(&hard), v.Hard)
	if errT == nil {
		errT = setFlags(cliflag.NewMapStringString(&reclaim), v.Reclaim)
	}
	if errT == nil {
		_, errT = eviction.ParseThresholdConfig(nil, hard, nil, nil, reclaim)
	}
	var line strings.Builder
	for _, value := range v.Hard {
		fmt.Fprintf(&line, " --eviction-hard=%s", value)
	}
	for _, value := range v.Reclaim {
		fmt.Fprintf(&line, " --eviction-minimum-reclaim=%s", value)
	}
	ours, errO := pressure.LoadFlags(line.String(), "linux")
	if (errT == nil) != (errO == nil) {
		return fmt.Sprintf("theirs %v, ours %v", errT, errO)
	}
	if errT != nil {
		verdicts["refused"]++
		return ""
	}
	verdicts["taken"]++
	if len(v.Hard) == 0 {
		hard = signalTexts(pressure.DefaultHard("linux"))
	}
	if got := signalTexts(ours.Hard); !maps.Equal(got, hard) {
		return fmt.Sprintf("theirs %v, ours %v", hard, got)
	}
	if got := signalTexts(ours.MinimumReclaim); !maps.Equal(got, reclaim) {
		return fmt.Sprintf("theirs %v, ours %v", reclaim, got)
	}
	return ""
}

func setFlags(flag interface{ Set(string) error }, values []string) error {
	for _, value := range values {
		if err := flag.Set(value); err != nil {
			return err
		}
	}
	return nil
}
