// Command watched is orrery with debug pages at the address in ORRERY_DEBUG, for what has no endpoint of its own.
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"

	"orrery/cmd/app"
)

func main() {
	listener, err := net.Listen("tcp", os.Getenv("ORRERY_DEBUG"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "watched: listening at ORRERY_DEBUG: %v\n", err)
		os.Exit(1)
	}
	go func() { _ = http.Serve(listener, nil) }()
	os.Exit(app.Main(os.Args[1:]))
}
