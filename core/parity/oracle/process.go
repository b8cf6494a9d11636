package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"

	"orrery/core/parity/oracle/allocations"
	"orrery/core/parity/oracle/nodepools"
)

// Process is a running oracle.
type Process struct {
	command *exec.Cmd
	in      io.WriteCloser
	replies *json.Decoder
	log     bytes.Buffer
}

// Start runs an oracle.
func Start(file string) (*Process, error) {
	p := &Process{command: exec.Command(file)}
	p.command.Stderr = &p.log
	in, err := p.command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the oracle %s: %w", file, err)
	}
	out, err := p.command.StdoutPipe()
	if err == nil {
		err = p.command.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting the oracle %s: %w", file, err)
	}
	p.in, p.replies = in, json.NewDecoder(out)
	return p, nil
}

// Ask sends a request and returns the reply to it. After an error the process has ended.
func (p *Process) Ask(r Request) (*Reply, error) {
	reply := &Reply{}
	return reply, p.exchange(r, reply)
}

// Allocate asks an oracle that is a [allocations.Main].
func (p *Process) Allocate(c *allocations.Case) ([]allocations.Outcome, error) {
	var all []allocations.Outcome
	err := p.exchange(c, &all)
	return all, err
}

// MakeNodes asks Karpenter's scheduler.
func (p *Process) MakeNodes(c *nodepools.Case) (*nodepools.Outcome, error) {
	made := &nodepools.Outcome{}
	return made, p.exchange(c, made)
}

func (p *Process) exchange(request, reply any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("asking the oracle: %w", err)
	}
	if _, err = p.in.Write(append(line, '\n')); err == nil {
		err = p.replies.Decode(reply)
	}
	if err != nil {
		_ = p.in.Close()
		_ = p.command.Wait()
		return fmt.Errorf("asking the oracle: %w; it ended with\n%s", err, p.log.String())
	}
	return nil
}

// Close ends the oracle after its last case.
func (p *Process) Close() error {
	if err := p.in.Close(); err != nil {
		return fmt.Errorf("ending the oracle: %w", err)
	}
	if err := p.command.Wait(); err != nil {
		return fmt.Errorf("ending the oracle: %w\n%s", err, p.log.String())
	}
	return nil
}
