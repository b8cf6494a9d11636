package pressure

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// flags are the eviction flags of a kubelet. Each fills in a field of its configuration file.
var flags = []struct {
	name string
	set  func(f *configurationFile, value string) error
}{
	{"eviction-hard", func(f *configurationFile, v string) error { return addPairs(&f.EvictionHard, "<", v) }},
	{"eviction-soft", func(f *configurationFile, v string) error { return addPairs(&f.EvictionSoft, "<", v) }},
	{"eviction-soft-grace-period", func(f *configurationFile, v string) error { return addPairs(&f.EvictionSoftGracePeriod, "=", v) }},
	{"eviction-minimum-reclaim", func(f *configurationFile, v string) error { return addPairs(&f.EvictionMinimumReclaim, "=", v) }},
	{"eviction-max-pod-grace-period", func(f *configurationFile, v string) error {
		seconds, err := strconv.ParseInt(v, 0, 32)
		f.EvictionMaxPodGracePeriod = int32(seconds)
		return err
	}},
	{"eviction-pressure-transition-period", func(f *configurationFile, v string) error {
		period, err := time.ParseDuration(v)
		f.EvictionPressureTransitionPeriod = metav1.Duration{Duration: period}
		return err
	}},
	{"kernel-memcg-notification", func(f *configurationFile, v string) error {
		on, err := strconv.ParseBool(v)
		f.KernelMemcgNotification = on
		return err
	}},
	{"enforce-node-allocatable", func(f *configurationFile, v string) error {
		f.EnforceNodeAllocatable = append(f.EnforceNodeAllocatable, strings.Split(v, ",")...)
		return nil
	}},
	{"kube-reserved", func(f *configurationFile, v string) error { return addPairs(&f.KubeReserved, "=", v) }},
	{"system-reserved", func(f *configurationFile, v string) error { return addPairs(&f.SystemReserved, "=", v) }},
}

// LoadFlags reads the eviction flags of a kubelet's command line, as a kubelet on that operating system would: flags of the
// form --eviction-hard=memory.available<1Gi,nodefs.available<10%, with blanks between them. A flag of thresholds replaces all the
// default ones, and of two values for a signal the last one counts.
func LoadFlags(line, system string) (Configuration, error) {
	var f configurationFile
	for _, word := range strings.Fields(line) {
		if err := f.setFlag(word); err != nil {
			return Configuration{}, fmt.Errorf("reading the kubelet's flag %s: %s", quoteUnprintable(word), oneLine(err))
		}
	}
	return f.load(system)
}

func (f *configurationFile) setFlag(word string) error {
	name, value, ok := strings.Cut(word, "=")
	var known []string
	for _, flag := range flags {
		if "--"+flag.name != name {
			known = append(known, "--"+flag.name)
			continue
		}
		if !ok {
			return fmt.Errorf("it has no value: write it like --eviction-hard=memory.available<1Gi")
		}
		return flag.set(f, value)
	}
	return fmt.Errorf("it is none of those about eviction: %s", strings.Join(known, ", "))
}

// addPairs adds the pairs of a flag, as in memory.available<1Gi,pid.available<10%, to those of earlier ones.
func addPairs[K ~string](to *map[K]string, separator, text string) error {
	if *to == nil {
		*to = map[K]string{}
	}
	for _, pair := range strings.Split(text, ",") {
		if pair == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, separator)
		if !ok {
			return fmt.Errorf("%s is no pair like memory.available%s10Mi", quoteUnprintable(pair), separator)
		}
		(*to)[K(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
	return nil
}
