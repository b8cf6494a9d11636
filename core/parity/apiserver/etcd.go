package apiserver

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// mostPortChanges bounds how often etcd gets other ports, as another process may take one before etcd opens it.
const mostPortChanges = 10

// startEtcd runs etcd on a directory, with the data that is already in it.
func startEtcd(dir string) (*embed.Etcd, error) {
	for changes := 0; ; changes++ {
		ports, err := freePorts(2)
		if err != nil {
			return nil, err
		}
		etcd, err := startEtcdOn(dir, ports[0], ports[1])
		if changes == mostPortChanges || !errors.Is(err, syscall.EADDRINUSE) {
			return etcd, err
		}
	}
}

func startEtcdOn(dir string, client, peer int) (*embed.Etcd, error) {
	c := embed.NewConfig()
	c.Dir = filepath.Join(dir, "etcd")
	c.LogLevel = "panic"   // it calls its own closing an error
	c.UnsafeNoFsync = true // no data has to survive a crash of the machine
	c.QuotaBackendBytes = 4 << 30
	c.ListenClientUrls, c.AdvertiseClientUrls = loopback(client), loopback(client)
	c.ListenPeerUrls, c.AdvertisePeerUrls = loopback(peer), loopback(peer)
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	etcd, err := embed.StartEtcd(c)
	if err != nil {
		return nil, fmt.Errorf("starting etcd in %s: %w", c.Dir, err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case <-time.After(startTimeout):
		etcd.Close()
		return nil, fmt.Errorf("starting etcd in %s: it was not ready after %s", c.Dir, startTimeout)
	}
}

func loopback(port int) []url.URL {
	return []url.URL{{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}}
}

// FreePort returns a port of the loopback device that is not in use.
func FreePort() (int, error) {
	ports, err := freePorts(1)
	return ports[0], err
}

// freePorts returns n different ports of the loopback device that are not in use.
func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return ports, fmt.Errorf("looking for a free port: %w", err)
		}
		defer l.Close() // when all are chosen, so that they differ
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}
