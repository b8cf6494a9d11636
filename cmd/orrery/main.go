// Command orrery is a Kubernetes scheduler one can watch.
package main

import (
	"os"

	"orrery/cmd/app"
)

func main() {
	os.Exit(app.Main(os.Args[1:]))
}
