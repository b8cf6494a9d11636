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
// app.go is the root command, and each command has a file of its name. Shared:
//
//	traces.go        open a trace: a file, standard input, or a built-in one
//	connection.go    open a cluster; kubectlflags.go are kubectl's flags; address.go hides passwords in them
//	attach_target.go a scheduler that runs: its pod, by its lease or name, or its address; attach_print.go prints its decisions
//	target.go        a trace or a cluster; open_at.go plays a trace up to a moment, as parse_time.go reads it
//	readonly.go      the connection of commands that only ask
//	mcp_ask.go       run a command for an assistant
//	leader.go        whether a scheduler leads, by its lease
//	output.go        print text or JSON; exit.go ends with 0, 1 or 2
//	streams.go       what passes the writer that disarms output, and what does not
//	screenflags.go   the flags of commands that draw on the terminal
//	progress.go      a status line
//	tracefile.go     write a trace
//	unreadable.go    the consequences of kinds that may not be read; rights.go the rules of roles
//	suggestion.go    "did you mean ...?"
//	text.go          numbers, times and tables
//
// docs/scripts.md describes the JSON documents.
package app
