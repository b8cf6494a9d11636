// Package app is the command line of Orrery, as a library: a main function of five lines makes an orrery with plugins
// of its own.
//
//	func main() {
//		os.Exit(app.Main(os.Args[1:], app.WithPlugin(favouritezone.Name, favouritezone.New)))
//	}
//
// The plugin is written against k8s.io/kube-scheduler/framework and nothing of Orrery's, so the same package can be
// compiled into kube-scheduler. cmd/example is such a program.
//
// # Files
//
// app is the root, and each command has a file of its name. What commands share:
//
//	traces     open a trace: a file, the standard input, or one that is built in
//	connection open a cluster                  unread     what of it cannot be read
//	ask        a trace or a cluster            rights     the rules that roles are made of
//	stand      play it up to a moment          moment     read how people write one
//	output     print an answer: text or JSON   exit       and end with 0, 1 or 2
//	progress   a line on the terminal          nearest    did you mean?
//	tracefile  write a trace                   words      numbers, times and tables for people
//
// docs/scripts.md describes what programs get to read.
package app
