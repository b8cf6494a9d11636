// Command example is an orrery with two more plugins.
package main

import (
	"os"

	"orrery/cmd/app"
	"orrery/cmd/example/favouritezone"
	"orrery/cmd/example/licenses"
)

func main() {
	os.Exit(app.Main(os.Args[1:], app.WithPlugin(favouritezone.Name, favouritezone.New), app.WithPlugin(licenses.Name, licenses.New)))
}
