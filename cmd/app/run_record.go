package app

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/klog/v2"

	"orrery/core/safe/footprint"
	"orrery/core/safe/printable"
	"orrery/core/trace/segments"
)

// recordDirFlags are the flags of a recording on disk.
type recordDirFlags struct {
	dir, maxSize string
	maxAge       time.Duration
	set          *pflag.FlagSet
	supported    bool // by the platform
}

const (
	recordDirFlag, recordSizeFlag, recordAgeFlag = "record-dir", "record-max-size", "record-max-age"
	// leastRecordAge is about how often a segment begins in a quiet cluster.
	leastRecordAge = time.Hour
)

// addTo adds the flags, whose usage ends with a text.
func (f *recordDirFlags) addTo(set *pflag.FlagSet, end string) {
	f.set, f.supported = set, segments.Supported
	set.StringVar(&f.dir, recordDirFlag, "", "The directory to record into, of its own for each replica; if empty, nothing is recorded."+end)
	set.StringVar(&f.maxSize, recordSizeFlag, "10Gi", "How much the recording may take; the oldest goes first."+end)
	set.DurationVar(&f.maxAge, recordAgeFlag, 7*24*time.Hour, "How long the recording is kept."+end)
}

func (f *recordDirFlags) validate() []error {
	if f.dir == "" {
		for _, name := range []string{recordSizeFlag, recordAgeFlag} {
			if f.set.Changed(name) {
				return []error{fmt.Errorf("--%s is for --%s, which is not given", name, recordDirFlag)}
			}
		}
		return nil
	}
	if !f.supported {
		return []error{fmt.Errorf("--%s: this platform has no lock that keeps a second process out of the directory: run on Linux or macOS, or use \"orrery record\"", recordDirFlag)}
	}
	var errs []error
	if info, err := os.Stat(f.dir); err == nil && !info.IsDir() {
		errs = append(errs, fmt.Errorf("--%s %q: it is not a directory", recordDirFlag, f.dir))
	}
	if _, err := f.bytes(); err != nil {
		errs = append(errs, fmt.Errorf("--%s %q: %w", recordSizeFlag, printable.Line(f.maxSize, 40), err))
	}
	if f.maxAge < leastRecordAge {
		errs = append(errs, fmt.Errorf("--%s %s: it is a duration of at least %s, like 168h", recordAgeFlag, f.maxAge, leastRecordAge))
	}
	return errs
}

func (f *recordDirFlags) bytes() (int64, error) {
	const wanted = "write a size of at least 16Mi, like 10Gi"
	if footprint.HugeExponent(f.maxSize) {
		return 0, errors.New(wanted)
	}
	q, err := resource.ParseQuantity(f.maxSize)
	if err != nil || q.CmpInt64(segments.MinBytes) < 0 {
		return 0, errors.New(wanted)
	}
	n, whole := q.AsInt64()
	if !whole {
		return 0, errors.New(wanted)
	}
	return n, nil
}

// options are those of flags that are valid, for a command.
func (f *recordDirFlags) options(command string) segments.Options {
	bytes, _ := f.bytes() // validated before
	return segments.Options{
		Directory: f.dir, Limits: segments.Limits{MaxBytes: bytes, MaxAge: f.maxAge}, Program: command + " " + version(), Logger: klog.Background(),
	}
}
