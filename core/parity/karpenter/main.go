// Command karpenter has Karpenter's own scheduler decide which nodes it would make: the other side of package nodepools of the oracles.
// Standard input and output have a case and an outcome a line.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/awslabs/operatorpkg/status"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	cloud "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/utils/nodepool"

	"orrery/core/parity/oracle/nodepools"
)

func main() {
	log.SetLogger(logr.Discard())
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		c := &nodepools.Case{}
		err := in.Decode(c)
		if errors.Is(err, io.EOF) {
			return
		}
		var made *nodepools.Outcome
		if err == nil {
			made, err = decide(c)
		}
		if err == nil {
			err = out.Encode(made)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "answering a case:", err)
			os.Exit(1)
		}
	}
}

// decide has the scheduler look at a cluster without nodes, once.
func decide(c *nodepools.Case) (*nodepools.Outcome, error) {
	ctx := options.ToContext(context.Background(), &options.Options{
		CPURequests: 1000, PreferencePolicy: options.PreferencePolicyRespect, MinValuesPolicy: options.MinValuesPolicyStrict,
	})
	pools, err := readPools(c.Pools)
	if err != nil {
		return nil, err
	}
	reader := fake.NewClientBuilder().WithScheme(scheme.Scheme).Build()
	provider := cloud.NewCloudProvider()
	types := map[string][]*cloudprovider.InstanceType{}
	for _, p := range pools {
		types[p.Name] = instanceTypes(c.Machines)
	}
	cluster := state.NewCluster(clock.RealClock{}, reader, provider)
	recorder := events.NewRecorder(&record.FakeRecorder{})
	topology, err := scheduling.NewTopology(ctx, reader, cluster, nil, pools, types, c.Pods)
	if err != nil {
		return nil, fmt.Errorf("counting topologies: %w", err)
	}
	refused := map[string]string{}
	waiting := valid(ctx, provisioning.NewProvisioner(reader, recorder, provider, cluster, clock.RealClock{}), c.Pods, refused)
	s := scheduling.NewScheduler(ctx, reader, pools, cluster, nil, topology, types, c.Daemons, recorder, clock.RealClock{}, nil, scheduling.NumConcurrentReconciles(1))
	results, err := s.Solve(ctx, waiting)
	if err != nil {
		return nil, fmt.Errorf("solving: %w", err)
	}
	for pod, why := range results.PodErrors {
		refused[pod.Name] = why.Error()
	}
	made := &nodepools.Outcome{Refused: refused}
	for _, claim := range results.NewNodeClaims {
		node := nodepools.Node{Pool: claim.NodePoolName}
		for _, pod := range claim.Pods {
			node.Pods = append(node.Pods, pod.Name)
		}
		for _, machine := range claim.InstanceTypeOptions {
			node.Machines = append(node.Machines, machine.Name)
		}
		made.Nodes = append(made.Nodes, node)
	}
	return made, nil
}

// valid leaves out the pods that Karpenter does not look at.
func valid(ctx context.Context, p *provisioning.Provisioner, pods []*corev1.Pod, refused map[string]string) (good []*corev1.Pod) {
	for _, pod := range pods {
		if err := p.Validate(ctx, pod); err != nil {
			refused[pod.Name] = err.Error()
		} else {
			good = append(good, pod)
		}
	}
	return good
}

// readPools reads NodePools, ready and of the fake provider's class, in the order in which Karpenter takes them.
func readPools(texts []json.RawMessage) ([]*v1.NodePool, error) {
	var all []*v1.NodePool
	for _, text := range texts {
		p := &v1.NodePool{}
		if err := json.Unmarshal(text, p); err != nil {
			return nil, fmt.Errorf("reading a NodePool: %w", err)
		}
		p.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{Group: "karpenter.test.sh", Kind: "TestNodeClass", Name: "default"}
		p.Status.Conditions = []status.Condition{{Type: status.ConditionReady, Status: metav1.ConditionTrue}}
		all = append(all, p)
	}
	nodepool.OrderByWeight(all)
	return all, nil
}
