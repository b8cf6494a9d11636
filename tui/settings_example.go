package tui

// SettingsExample is a file of settings in which everything is a comment. The lines that begin with "#:" are right as they are, without
// that sign.
func SettingsExample() string {
	return `# Settings of orrery's screen. All are optional; a flag on the command line comes first.
# "orrery settings" checks this file and says where it is.

# The colours: the name of a theme, or the file of one.
#:theme: high-contrast

# The pane that is open at first.
#:view: queue

# Whether a wide screen shows what a row opens beside its list, and whether the mouse is on.
#:preview: true
#:mouse: false

# Whether the bell rings, the desktop shows a notification (OSC 9) and the window's title
# says so when the health turns red or a pod that is watched (W) is placed. Without this
# line they do, but for over ssh.
#:notify: true

# Whether the theme, the orders and columns of lists and a hidden preview that are chosen on the screen
# are there the next time: in $XDG_STATE_HOME/orrery/screen.yaml, or ~/.local/state.
#:remember: false

# Own keys, by the names of what they do (docs/keys.md). What has several keys, such as
# step, takes as many.
#:keys:
#:  zoom: Z
#:  find: [ctrl+f, ctrl+k]
#:  step: ["(", ")"]

# Own commands, after ":".
#:aliases:
#:  dr: whatif drain

# Own commands: programs that run with the screen put away, in the panes that have what is in
# braces: {pod}, {namespace}, {node}, {context}. They are typed after ":", found by their
# names, and run by their keys. No shell sees the arguments of "run"; "shell" is a line for sh.
# Their output stays until enter is pressed, but with wait: false.
#:commands:
#:  follow:
#:    run: [kubectl, logs, -f, --context, "{context}", -n, "{namespace}", "{pod}"]
#:    key: F
#:    about: the pod's logs, as they come
#:  runbook:
#:    run: [xdg-open, "https://runbooks.example.com/nodes?name={node}"]
#:    wait: false
#:  usage:
#:    shell: kubectl top pod -n {namespace} --context {context} | less
#:    wait: false

# How the lists of panes are shown at first: their order, and their columns if not all.
#:panes:
#:  queue:
#:    sort: pending
#:    columns: [state, for, pod, pending, reason]
#:  pods:
#:    sort: cpu
#:    reverse: false
`
}
