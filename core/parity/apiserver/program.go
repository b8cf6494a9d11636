package apiserver

import (
	"context"
	"fmt"
	"io"
	"net"

	"orrery/core/parity/program"
)

// prepareProgram prepares a kube-apiserver in a process of its own. Clients reach it through the server's listener, so that it can be cut
// off, and be another one after an upgrade.
//
//	client ── s.port ── pausableListener ── a free port ── kube-apiserver ── etcd of this process
func (s *Server) prepareProgram(context.Context) (run func(context.Context) error, err error) {
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	listener := s.listener
	return func(ctx context.Context) error {
		defer listener.Close()
		p, err := program.Start(s.options.Dir, s.options.Program, s.flags(port)...)
		if err != nil {
			return err
		}
		go forward(listener, fmt.Sprintf("127.0.0.1:%d", port))
		select {
		case <-ctx.Done(): // as in a crash: nothing is drained
			p.Kill()
			return nil
		case <-p.Ended():
			return fmt.Errorf("kube-apiserver exited; its log ends with\n%s", p.Log(4<<10))
		}
	}, nil
}

// forward connects what a listener accepts with an address, until the listener is closed.
func forward(from net.Listener, to string) {
	for {
		client, err := from.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", to)
		if err != nil { // it does not listen yet
			_ = client.Close()
			continue
		}
		for _, ends := range [][2]net.Conn{{client, server}, {server, client}} {
			go func() {
				_, _ = io.Copy(ends[0], ends[1])
				_, _ = ends[0].Close(), ends[1].Close()
			}()
		}
	}
}
