//go:build unix

package app

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
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
		"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "-9999-01-01T00:00:00Z", "292277026596-12-04T15:30:07Z", "24:61:61", "-00:00:01",
		"2562047h47m16.854775807s", "-2562047h47m16.854775808s", "+2562047h47m16.854775807s", "99999999999h", "1e308s", "-1ns", "@9223372036854775807", "@-1",
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
}

func TestHostile_CredentialsInAddresses(t *testing.T) {
	r := newHostileRuns(t)
	r.never = "c4n4ry"
	addresses := []string{"https://me:c4n4ry@127.0.0.1:1", "http://me:c4n4ry@127.0.0.1 :1", "https://me:c4n4ry@[::1:1/x?y#z"}
	r.everywhere(addresses...)
	r.everyConfigurationField(addresses...)
	r.everyKubeconfigField(addresses...)
}

// bombs are small files that stand for large ones.
func bombs(t *testing.T) map[string]string {
	t.Helper()
	const large = 1 << 30
	var zipped, packed bytes.Buffer
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	g := gzip.NewWriter(&zipped)
	zeros := make([]byte, 1<<20)
	for range large / len(zeros) {
		_, _ = z.Write(zeros)
		_, _ = g.Write(zeros)
	}
	if z.Close() != nil || g.Close() != nil {
		t.Fatal("packing failed")
	}
	laughs := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 12 {
		before := string(rune('0' + i%10))
		laughs += "b" + string(rune('a'+i)) + ": &l" + string(rune('a'+i)) + " [" + strings.Repeat("*"+map[bool]string{true: "a0", false: "l" + string(rune('a'+i-1))}[i == 0]+", ", 9) + before + "]\n"
	}
	return map[string]string{
		"bomb.gz": zipped.String(), "bomb.zst": packed.String(), "laughs.yaml": laughs,
		"deep.json": strings.Repeat(`{"a":`, 200_000), "deep.yaml": strings.Repeat("- ", 200_000),
		"quantity.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: 1e999999999, memory: 1e-999999999}}\n",
		"many.yaml":     strings.Repeat("---\n", 300_000),
	}
}

func TestHostile_SmallInputThatGrows(t *testing.T) {
	r := newHostileRuns(t)
	for name, text := range bombs(t) {
		r.everywhere(r.file(name, text))
	}
	r.everywhere(strings.Repeat("[", 1<<20), strings.Repeat("a,", 1<<19), "1e999999999", strings.Repeat("*", 100)+"x")
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
		for line := []byte("a: b\n"); ; {
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
	r.everywhere("/dev/zero", "/dev/urandom", "endless", "-")
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
