package app

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"orrery/core/answers/assist"
	"orrery/core/safe/files"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

// mcpFlags are the flags of mcp.
type mcpFlags struct {
	connection
	running   schedulerTarget
	attach    string
	configs   []string
	listen    string
	tokenFile string
}

func mcpCommand(plugins framework.Registry) *cobra.Command {
	var f mcpFlags
	c := &cobra.Command{
		Use:   "mcp [TRACE...]",
		Short: "Answer assistants, over the Model Context Protocol",
		Long: `Mcp is a server of the Model Context Protocol: assistants ask it why pods are pending, what happened to them, what would happen if something
were different, and what another release or configuration would do. They get the documents that the other commands print with
-o json, cut to a budget of tokens, each with the command that repeats it. docs/assistants.md says how clients are set up.

It answers about the recordings that are built in, the TRACEs that are named, the cluster of the kubeconfig if there is one, and with
--attach about the scheduler that runs. It reads no other file, and changes nothing: neither of its tools nor of its requests to the cluster is one that writes.

Without --listen it talks on the standard input and output, as clients start it. With --listen it serves streamable HTTP on a
loopback address, to those who send the token in --token-file as a bearer token.`,
		Example: `  orrery mcp
  orrery mcp incident.orrery --scheduler-config spread.yaml
  orrery mcp --listen 127.0.0.1:7777 --token-file token`,
		ValidArgsFunction: completeTrace,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.options(c, plugins, args)
			if err != nil {
				return err
			}
			s := assist.New(o)
			if f.listen != "" {
				return f.serve(c, s)
			}
			if c.Flags().Changed("token-file") {
				return errors.New("--token-file is of --listen")
			}
			in := stdin{c.InOrStdin()}
			return s.Run(c.Context(), &mcp.IOTransport{Reader: in, Writer: unclosed{c.OutOrStdout()}})
		},
	}
	c.Flags().StringVar(&f.listen, "listen", "", "serve streamable HTTP on this loopback `address`, as 127.0.0.1:7777; port 0 is any")
	c.Flags().StringVar(&f.tokenFile, "token-file", "", "the `file` with the token that HTTP clients have to send, 16 characters or more")
	c.Flags().StringArrayVar(&f.configs, "scheduler-config", nil, "a KubeSchedulerConfiguration `FILE` that compare may name; give it once for each")
	c.Flags().StringVar(&f.attach, attachFlag, "", "also answer about the scheduler that runs, and leads: --attach, or --attach=`TARGET` as \"orrery attach\" takes it")
	c.Flags().Lookup(attachFlag).NoOptDefVal = theLeader
	f.running.addFlags(c.Flags())
	f.connection.addFlags(c, false)
	return c
}

// options are what can be asked: a cluster or a scheduler first, then the named recordings, then the built-in ones.
func (f *mcpFlags) options(c *cobra.Command, plugins framework.Registry, traces []string) (assist.Options, error) {
	o := assist.Options{
		Program: c.Root().DisplayName(), Version: version(), Ask: asker(plugins), Releases: releaseNames(), Changes: whatIfSyntax(),
		Configurations: map[string]string{}, Schemas: map[string]string{},
	}
	if c.Flags().Changed(attachFlag) {
		all := append(append([]string{attachFlag}, schedulerTargetFlagNames...), f.names...)
		o.Sources = append(o.Sources, assist.Source{Name: "scheduler", Words: f.given(c, all), Shown: f.given(c, append(append([]string{attachFlag}, schedulerTargetFlagNames...), clusterFlagNames...))})
	}
	if f.configured(c) {
		o.Sources = append(o.Sources, assist.Source{Name: "cluster", Words: f.given(c, f.names), Shown: f.given(c, clusterFlagNames)})
	}
	taken := map[string]bool{"scheduler": true, "cluster": true}
	for _, path := range append(traces, builtIn()...) {
		source, err := sourceOf(path)
		if err != nil {
			return o, err
		}
		if taken[source.Name] {
			if path == source.Name { // a file stands for the built-in one of the same name
				continue
			}
			return o, fmt.Errorf("there are two recordings called %q: rename one", source.Name)
		}
		taken[source.Name] = true
		o.Sources = append(o.Sources, source)
	}
	for _, file := range f.configs {
		if _, err := files.Read(file, config.MaxBytes); err != nil {
			return o, fmt.Errorf("--scheduler-config: %w", err)
		}
		o.Configurations[printable.Line(filepath.Base(file), 60)] = file
	}
	for _, name := range schemaNames() {
		text, err := schemaOf(name)
		if err != nil {
			return o, err
		}
		o.Schemas[name] = text
	}
	return o, nil
}

// given returns flags as they were given, each a word.
func (f *mcpFlags) given(c *cobra.Command, names []string) []string {
	var words []string
	for _, name := range names {
		flag := c.Flags().Lookup(name)
		if flag == nil || !flag.Changed {
			continue
		}
		values := []string{flag.Value.String()}
		if list, several := flag.Value.(interface{ GetSlice() []string }); several {
			values = list.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+name+"="+v)
		}
	}
	return words
}

// serve serves HTTP until the command is stopped.
func (f *mcpFlags) serve(c *cobra.Command, s *mcp.Server) error {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return fmt.Errorf("--listen %q: it is HOST:PORT, as in 127.0.0.1:7777", f.listen)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("--listen %q: it has to be a loopback address, as 127.0.0.1 or [::1]: answers are for this machine alone", f.listen)
	}
	token, err := readToken(f.tokenFile)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("listening for assistants: %w", err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "serving assistants on http://%s\n", l.Addr())
	server := &http.Server{Handler: assist.Handler(s, token), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	context := c.Context()
	defer stopWith(context, server)()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving assistants: %w", err)
	}
	return nil
}

// shortestToken is how many characters a token has at least.
const shortestToken = 16

func readToken(file string) (string, error) {
	if file == "" {
		return "", errors.New("--listen needs --token-file: name a file with a token, as \"openssl rand -hex 24\" makes one")
	}
	data, err := files.Read(file, 4<<10)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < shortestToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("reading the token: %s holds no token of %d letters or more, without spaces", printable.Line(file, 200), shortestToken)
	}
	return token, nil
}
