package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"orrery/cmd/release/platform"
)

// Exit codes.
const (
	failed = 1
	usage  = 2
)

func main() {
	ctx, stop := untilStopped()
	defer stop()
	r := release{say: func(line string) { fmt.Println(line) }}
	flag.StringVar(&r.version, "version", "", "the `version`, like v1.2.3")
	flag.StringVar(&r.url, "url", "", "the `address` of the folder that the archives will be in, for krew")
	flag.StringVar(&r.home, "home", "https://example.com/orrery", "the `address` of the project")
	flag.StringVar(&r.key, "key", "", "the `file` of the key to sign with: ECDSA on P-256, in PEM")
	flag.StringVar(&r.only, "platforms", "", "the `platforms` to make it for, such as linux/amd64,darwin/arm64, if not for all")
	flag.StringVar(&r.source, "source", ".", "the `directory` of the module")
	flag.StringVar(&r.out, "out", "dist", "the `directory` to write to")
	flag.Parse()
	err := r.run(ctx, flag.Args())
	stop()
	switch misuse := (usageError{}); {
	case errors.As(err, &misuse):
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(usage)
	case err != nil:
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(failed)
	}
}

// untilStopped returns a context that ends with SIGINT or SIGTERM, so that what is unfinished is removed.
func untilStopped() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// usageError is an error of the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// run does what the arguments say.
func (r *release) run(ctx context.Context, args []string) (err error) {
	unknown := usageError{fmt.Sprintf("got %q: say one of archives, image, site and check", args)}
	if len(args) != 1 {
		return unknown
	}
	if r.at, err = sourceDate(os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		return err
	}
	if !isAddress.MatchString(r.home) {
		return usageError{fmt.Sprintf("-home %q: it is an address like https://example.com/orrery: make %s SOURCE_URL=ADDRESS", r.home, args[0])}
	}
	switch args[0] {
	case "archives":
		if !isVersion.MatchString(r.version) {
			return usageError{fmt.Sprintf("-version %q: it is a version like v1.2.3: make release VERSION=v1.2.3", r.version)}
		}
		r.url = cmp.Or(r.url, strings.TrimSuffix(r.home, "/")+"/"+r.version)
		if !isAddress.MatchString(r.url) {
			return usageError{fmt.Sprintf("-url %q: it is an address like https://example.com/orrery/v1.2.3: make release RELEASE_URL=ADDRESS", r.url)}
		}
		if r.platforms, err = chosen(r.only, platform.Released()); err != nil {
			return err
		}
		r.say(fmt.Sprintf("Platforms to compile for: %d. On two cores each takes some ten minutes the first time.", len(r.platforms)))
		return r.archives(ctx)
	case "image":
		if r.version != "" && !isTag.MatchString(r.version) {
			return usageError{fmt.Sprintf("-version %q: a tag of an image has letters, digits, dots, - and _: make image VERSION=v1.2.3", r.version)}
		}
		if r.platforms, err = chosen(r.only, platform.InImage()); err != nil {
			return err
		}
		r.say(fmt.Sprintf("Platforms to compile for: %d. On two cores each takes some ten minutes the first time.", len(r.platforms)))
		return r.image(ctx)
	case "site":
		return r.site()
	case "check":
		return r.check(ctx)
	}
	return unknown
}

// chosen returns the platforms of a list, all of them if it is empty.
func chosen(list string, all []platform.Platform) ([]platform.Platform, error) {
	if list == "" {
		return all, nil
	}
	var some []platform.Platform
	for _, name := range strings.Split(list, ",") {
		i := slices.IndexFunc(all, func(p platform.Platform) bool { return p.String() == name })
		if i < 0 {
			return nil, usageError{fmt.Sprintf("-platforms %q: %q is none of %v", list, name, all)}
		}
		some = append(some, all[i])
	}
	return some, nil
}

var (
	isVersion = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z]+([.-][0-9A-Za-z]+)*)?$`)
	isAddress = regexp.MustCompile(`^https?://[A-Za-z0-9./_~%:@+-]+$`)
	isTag     = regexp.MustCompile(`^\w[\w.-]{0,127}$`)
)

// sourceDate reads the time for files. Without one it is the first that a zip file can have.
func sourceDate(seconds string) (time.Time, error) {
	first := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	if seconds == "" {
		return first, nil
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	at := time.Unix(n, 0).UTC()
	if err != nil || at.Before(first) || at.Year() > 9999 {
		return first, usageError{fmt.Sprintf("SOURCE_DATE_EPOCH=%q: it is a time since 1980, in seconds since 1970", seconds)}
	}
	return at, nil
}
