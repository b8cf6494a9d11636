package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"orrery/core/parity/apiserver"
)

// profiled is the duration of a profile in seconds.
const profiled = 10

// saveProfile saves a CPU profile of the scheduler, taken as soon as it listens.
func saveProfile(port int, file string, ended <-chan struct{}) {
	request, err := http.NewRequest(http.MethodGet, fmt.Sprintf("https://127.0.0.1:%d/debug/pprof/profile?seconds=%d", port, profiled), nil)
	if err != nil {
		return
	}
	request.Header.Set("Authorization", "Bearer "+apiserver.Admin)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for {
		select {
		case <-ended:
			return
		case <-time.After(100 * time.Millisecond):
		}
		answer, err := client.Do(request)
		if err != nil {
			continue
		}
		data, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err == nil && answer.StatusCode == http.StatusOK {
			err = os.WriteFile(file, data, 0o644)
		}
		if err != nil || answer.StatusCode != http.StatusOK {
			fmt.Fprintln(os.Stderr, "benchcluster: no profile:", answer.Status, err)
		}
		return
	}
}
