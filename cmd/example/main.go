// Command example is an orrery with one more plugin.
package main

import (
	"os"

	"orrery/cmd/app"
	"orrery/cmd/example/favouritezone"
)

func main() {
	os.Exit(app.Main(os.Args[1:], app.WithPlugin(favouritezone.Name, favouritezone.New)))
}
