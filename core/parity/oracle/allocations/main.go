package allocations

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Main answers cases on standard input, one a line, until they end.
func Main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		c := &Case{}
		err := in.Decode(c)
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = out.Encode(Allocate(c))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "answering a case:", err)
			os.Exit(1)
		}
	}
}
