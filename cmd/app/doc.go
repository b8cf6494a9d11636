// Package app is the command line of Orrery, as a library: a main function of five lines makes an orrery with plugins
// of its own.
//
//	func main() {
//		os.Exit(app.Main(os.Args[1:], app.WithPlugin(favouritezone.Name, favouritezone.New)))
//	}
//
// The plugin is written against k8s.io/kube-scheduler/framework and nothing of Orrery's, so the same package can be
// compiled into kube-scheduler. cmd/example is such a program.
package app
