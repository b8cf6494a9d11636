package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

const preamble = `# Benchmarks against a real API server

kube-scheduler 1.37.2, ` + "`orrery run`" + ` and a program that only binds, each in a process of its own, against kube-apiserver 1.37.2 and etcd in another, all
on one machine that they share. This file is written by the command below; do not edit it.

What one run is: a fresh API server gets the nodes, in three zones, and the pods, of one template and without constraints;
then the contender is started. Both schedulers read the same configuration: the default profile, client QPS and burst 5,000, no leader
election. Pods a second are counted from the first binding to the last, as a watch tells of them. CPU and peak memory are
those of the contender's process from start to end, as the system accounts for them; the first lists of everything are in
them. Events are those that were written: both drop some when they are written more slowly than pods are bound. A run in
which a pod is not bound, or bound twice, or a node holds too many, is an error and no figure.

The binder watches pods without a node and binds each to the next node, and decides nothing: with the event of each binding, as both
schedulers write one, and without. It has no rate limit, 64 calls at once, and neither metrics nor health checks.

The API server, etcd and the watch need their share of the same cores, and what they take for a pod bounds all.

`

// table has a row for every run, and the medians.
func (b *bench) table() string {
	var t strings.Builder
	t.WriteString("| | pods/s | CPU per pod | peak memory | first binding after | events |\n|---|--:|--:|--:|--:|--:|\n")
	for round := range b.rounds {
		for _, side := range contenders {
			if b.wants(side) {
				s := b.runs[side][round]
				fmt.Fprintf(&t, "| %s, run %d | %.0f | %.2f ms | %d MiB | %.1f s | %d |\n",
					side, round+1, s.podsPerSecond(), s.cpuPerPod(), s.memory>>20, s.until.Seconds(), s.events)
			}
		}
	}
	for _, side := range contenders {
		if b.wants(side) {
			fmt.Fprintf(&t, "| **%s, median** | %.0f | %.2f ms | %.0f MiB | %.1f s | |\n", side, b.median(side, sample.podsPerSecond),
				b.median(side, sample.cpuPerPod), b.median(side, sample.mebibytes), b.median(side, sample.untilFirst))
		}
	}
	if b.side != "" {
		return t.String()
	}
	for _, to := range contenders {
		if to != orrery {
			fmt.Fprintf(&t, "| **orrery to %s, median of rounds** | **%.2f** | **%.2f** | **%.2f** | **%.2f** | |\n", to,
				b.ratio(to, sample.podsPerSecond), b.ratio(to, sample.cpuPerPod), b.ratio(to, sample.mebibytes), b.ratio(to, sample.untilFirst))
		}
	}
	return t.String()
}

func (s sample) untilFirst() float64 { return s.until.Seconds() }

func (s sample) mebibytes() float64 { return float64(s.memory) / (1 << 20) }

func (b *bench) median(side string, value func(sample) float64) float64 {
	var values []float64
	for _, s := range b.runs[side] {
		values = append(values, value(s))
	}
	return median(values)
}

// ratio returns the median, over the rounds, of Orrery's value divided by another contender's.
func (b *bench) ratio(to string, value func(sample) float64) float64 {
	var values []float64
	for round := range b.rounds {
		values = append(values, value(b.runs[orrery][round])/value(b.runs[to][round]))
	}
	return median(values)
}

func median(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}

// document returns the contents of docs/benchmarks-cluster.md.
func (b *bench) document() string {
	return preamble + fmt.Sprintf("Measured on %s on %d cores of %s, %s, %s/%s; load average at the start %s, at the end %s, of which\n"+
		"the benchmark itself is a part. %d nodes, %d pods, %d rounds, in turns. The command:\n\n"+
		"    cd core/parity && go run ./benchcluster -nodes %d -pods %d -rounds %d -out ../../docs/benchmarks-cluster.md\n\n",
		b.began.Format("2006-01-02"), runtime.NumCPU(), cpuModel(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		b.load, loadAverage(), b.nodes, b.pods, b.rounds, b.nodes, b.pods, b.rounds) + b.table()
}

// cpuModel returns the processor's name from /proc/cpuinfo.
func cpuModel() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "an unknown processor"
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unknown processor"
}

// loadAverage returns the load averages over one, five and fifteen minutes.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	fields := strings.Fields(string(data))
	return strings.Join(fields[:min(3, len(fields))], " ")
}
