//go:build unix && !race

package app

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// What was once found by trying stays closed, one test for each class of it. Each gives what means harm to every flag and as every argument
// of every command, to every field of configurations and kubeconfigs, and to every field of every kind, as far as it can be there.

func TestHostile_EscapesOnAnyWayOut(t *testing.T) {
	r := newHostileRuns(t)
	r.everywhere(escapes)
	r.everyConfigurationField(escapes)
	r.everyKubeconfigField(escapes)
	r.everyKind(texts(func(path string) string { return escapes + path }))
}

func TestHostile_TimesOutOfRange(t *testing.T) {
	r := newHostileRuns(t)
	r.everywhere(
		"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "292277026596-12-04T15:30:07Z", "24:61:61",
		"2562047h47m16.854775807s", "-2562047h47m16.854775808s", "99999999999h", "-1ns",
	)
	r.everyConfigurationField("2562047h47m16.854775807s", "-2562047h47m16.854775808s", "99999999999h")
	r.everyKind(extremeTimes...)
}

func TestHostile_SumsPastInt64(t *testing.T) {
	r := newHostileRuns(t)
	r.positive = true
	r.everywhere("9223372036854775807", "9223372036854775808", "18446744073709551616", "1e999999999", "0x7fffffffffffffff", "NaN", "Inf")
	r.everyConfigurationField("9223372036854775807", "2147483647", "1e999999999")
	r.everyKind(extremeNumbers...)
	for _, change := range []string{
		"add 9223372036854775807 nodes like plain", "add 999999999 nodes like plain", "requests default/waits cpu=9223372036854775807", "requests default/waits memory=9E",
		"requests default/waits cpu=1e999999999", "scale ReplicaSet default/x to 9223372036854775807", "scale ReplicaSet default/x to 2147483647",
	} {
		r.run("whatif", change, "--trace", r.files.usualTrace)
	}
	r.sumsOfPods()
}

// sumsOfPods has so many requests, in one pod and on one node, that they do not fit into an int64 together: one alone may be 8Pi. A sum that
// wrapped around would leave room for more.
func (r *hostileRuns) sumsOfPods() {
	r.Helper()
	const most, many = "8Pi", 1100
	wide := mk.Pod("wide").UID("wide")
	objects := []world.Object{
		mk.Node("plain").CPU("4").Memory("8Gi").Pods("10").Obj(), mk.Node("full").CPU("4").Memory(most).Pods("2000").Obj(),
	}
	for i := range many {
		name := fmt.Sprint("p", i)
		objects = append(objects, mk.Pod(name).UID(name).Memory(most).Node("full").Obj())
		wide.Container(name, name, v1.ResourceList{v1.ResourceMemory: resource.MustParse(most)})
	}
	r.recording("sums.orrery", append(objects, wide.Obj(), mk.Pod("large").UID("large").Memory("9Gi").Obj())...)
	for _, pod := range []string{"wide", "large"} {
		for _, format := range []string{"text", "json"} {
			line := []string{"explain", pod, "--trace", "sums.orrery", "-o", format}
			r.run(line...)
			if out, _ := outputOf(r.T, line); !strings.Contains(out, "no node here can ever hold it") && !strings.Contains(out, "short of memory at best") || !strings.Contains(out, "Insufficient memory") {
				r.Errorf("orrery %q does not say that no node has the memory: %s", line, out)
			}
		}
	}
}

func TestHostile_CredentialsInAddresses(t *testing.T) {
	r := newHostileRuns(t)
	r.never = "c4n4ry"
	addresses := []string{"https://me:c4n4ry@127.0.0.1:1", "http://me:c4n4ry@127.0.0.1 :1", "https://me:c4n4ry@[::1:1/x?y#z"}
	r.everywhere(addresses...)
	r.fields = regexp.MustCompile(`(?i)url|address|server|proxy|host|endpoint`) // others are no addresses, and are quoted when they are refused
	r.everyConfigurationField(addresses...)
	r.everyKubeconfigField(addresses...)
}

// bombs are small files that stand for large ones.
func bombs(t *testing.T) map[string]string {
	t.Helper()
	const part, parts = 16 << 20, 16 // which are unpacked as one
	var zipped, packed bytes.Buffer
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	g := gzip.NewWriter(&zipped)
	for _, w := range []io.WriteCloser{z, g} {
		if _, err := w.Write(make([]byte, part)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	laughs := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'm'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 8), c-1)
	}
	return map[string]string{
		"bomb.gz": strings.Repeat(zipped.String(), parts), "bomb.zst": strings.Repeat(packed.String(), parts), "laughs.yaml": laughs,
		"deep.json": strings.Repeat(`{"a":`, 200_000), "deep.yaml": strings.Repeat("- ", 200_000),
		"quantity.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: 1e999999999, memory: 1e-999999999}}\n",
		"many.yaml":     strings.Repeat("---\n", 90_000),
	}
}

func TestHostile_SmallInputThatGrows(t *testing.T) {
	r := newHostileRuns(t)
	r.most = 512 << 20
	const longest = 128<<10 - 100 // of an argument, on Linux
	values := []string{strings.Repeat("[", longest), strings.Repeat("a,", longest/2), "1e999999999", strings.Repeat("*", 100) + "x"}
	for name, text := range bombs(t) {
		values = append(values, r.file(name, text))
	}
	r.everywhere(values...)
}

func TestHostile_EndlessInput(t *testing.T) {
	r := newHostileRuns(t)
	if err := syscall.Mkfifo("endless", 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile("endless", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for line := bytes.Repeat([]byte("a: b\n"), 10_000); ; {
			if _, err := pipe.Write(line); err != nil {
				return
			}
		}
	}()
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = zero
	t.Cleanup(func() {
		os.Stdin = stdin
		zero.Close()
		pipe.Close()
	})
	// A pipe can be read only once, which client-go does; and one that is full takes nothing.
	r.passes = func(flag, value string) bool {
		return value == "endless" && (strings.HasSuffix(flag, "kubeconfig") || flag == "out")
	}
	r.everywhere("/dev/zero", "endless", "-")
}

// Outputs leave what is there, wherever a link leads, and say what is wrong with a device.
func TestHostile_OutputOntoDevicesAndLinks(t *testing.T) {
	r := newHostileRuns(t)
	for link, to := range map[string]string{"link": "precious", "dangling": "missing", "loop": "loop", "chain": "link"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	r.passes = func(flag, _ string) bool { return flag == "write-config-to" } // which writes over a file, as kube-scheduler's does
	r.everywhere("precious", "link", "chain", "dangling", "loop", "folder", ".", "/dev/full", "missing/x", "precious/x", "/", "")
	for link, to := range map[string]string{"link": "precious", "dangling": "missing", "loop": "loop", "chain": "link"} {
		if at, err := os.Readlink(link); err != nil || at != to {
			t.Errorf("the link %s leads to %q, %v", link, at, err)
		}
	}
	if _, err := os.Lstat("missing"); err == nil {
		t.Error("what a link named that led nowhere was made")
	}
}
