package asked

import (
	"flag"
	"fmt"
	"strconv"
	"time"
)

// Rapid has rapid check so many examples, of a seed that is new with each run and printed. What flags say comes before that. An
// example that fails is printed, so rapid keeps no file of it. It is for TestMain of packages whose tests draw by rapid.
func Rapid(checks int) {
	flag.Parse()
	unlessGiven("rapid.checks", strconv.Itoa(checks))
	unlessGiven("rapid.seed", strconv.FormatInt(time.Now().UnixNano()&0x7fffffff, 10))
	unlessGiven("rapid.nofailfile", "true")
	fmt.Printf("repeat with -rapid.seed=%s\n", flag.Lookup("rapid.seed").Value)
}

func unlessGiven(name, value string) {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if given {
		return
	}
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}
