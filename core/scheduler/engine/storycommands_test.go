package engine_test

import (
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/workloads"
	deviceoutcome "orrery/core/scheduler/devices/outcome"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// command returns the effect of a command on each player.
func (s *storyRun) command(verb string, args []string) func(*player) {
	switch verb {
	case "node", "pod", "volume", "claim", "class", "slice", "deviceclass", "devices", "rule", "workload": // <kind> <name> <key=value>...: an object is added
		s.objects[args[0]] = s.build(verb, args)
		return s.applyChange(world.Added, s.objects[args[0]])
	case "update": // update <name> <key=value>...: an object is updated
		return s.applyChange(world.Modified, s.change(args[0], args[1:]))
	case "delete": // delete <name>: an object is deleted
		object := s.objects[args[0]]
		delete(s.objects, args[0])
		return s.applyChange(world.Deleted, object)
	case "set": // set <pod> <key=value>...: a pod changes in the cluster, without a watch event
		s.setUnseen(args)
		return func(*player) {}
	case "relist": // relist <names>: the watch was lost, and a relist has these pods
		return s.relist(args)
	case "seen": // seen <effect>: the watch event of an effect
		return s.watchEffect(number(args[0]))
	case "ok": // ok <effect>: the call of an effect succeeds
		return s.applyEvent(world.EffectDone{Effect: number(args[0])})
	case "fail": // fail <effect> [reason=R] <message>: it fails
		return s.applyEvent(world.EffectDone{Effect: number(args[0]), Outcome: outcomeFrom(args[1:])})
	case "respond": // respond <effect> <key=value>...: an extender answers
		return s.respond(number(args[0]), args[1:])
	case "run": // run <effect>: the world runs a plugin call
		return s.run(number(args[0]))
	case "allow", "reject": // allow|reject <plugin> <pod> [reason]: a plugin allows or rejects a waiting pod
		return s.signal(verb, args)
	case "advance": // advance <duration>: time passes
		d, err := time.ParseDuration(args[0])
		if err != nil {
			s.t.Fatal(err)
		}
		s.now = s.now.Add(d)
		return s.applyEvent(world.Tick{})
	case "activate": // activate <pods>: a user activates pods
		var request world.ActivateRequest
		for _, name := range args {
			request.Activate = append(request.Activate, types.NamespacedName{Namespace: "default", Name: name})
		}
		return s.applyEvent(request)
	case "step": // step: makes all decisions
		return (*player).step
	}
	return s.inspect(verb, args)
}

func number(word string) world.EffectID {
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil {
		panic(err)
	}
	return world.EffectID(n)
}

func (s *storyRun) applyEvent(event world.Event) func(*player) {
	now := s.now
	return func(p *player) {
		if err := p.Apply(world.Input{At: now, Event: event}); err != nil {
			p.logf("refused: %v", err)
		}
	}
}

// applyChange applies an object's change, with the next resource version.
func (s *storyRun) applyChange(op world.Op, object world.Object) func(*player) {
	s.version++
	object = object.DeepCopyObject().(world.Object)
	object.SetResourceVersion(strconv.Itoa(s.version))
	if op != world.Deleted {
		s.objects[object.GetName()] = object
	}
	return s.applyEvent(world.Changed{Op: op, Object: object})
}

func (s *storyRun) setUnseen(args []string) {
	object := s.build("pod", args)
	s.version++
	object.SetResourceVersion(strconv.Itoa(s.version))
	s.objects[args[0]] = object
}

func (s *storyRun) relist(names []string) func(*player) {
	list := world.Listed{Kind: world.Pod}
	for _, name := range names {
		list.Objects = append(list.Objects, s.objects[name])
	}
	return s.applyEvent(list)
}

// watchEffect performs an effect as the API server does, and applies the watch event.
func (s *storyRun) watchEffect(id world.EffectID) func(*player) {
	switch action := s.players[0].effects[id].(type) {
	case world.Bind:
		return s.applyChange(world.Modified, s.change(action.Pod.Name, []string{"node=" + action.Node}))
	case world.Delete:
		return s.command("delete", []string{action.Pod.Name})
	case world.PatchStatus:
		pod := s.objects[action.Pod.Name].DeepCopyObject().(*v1.Pod)
		if action.Condition != nil {
			pod.Status.Conditions = append(pod.Status.Conditions[:0:0], *action.Condition)
		}
		if action.NominatedNode != nil {
			pod.Status.NominatedNodeName = *action.NominatedNode
		}
		return s.applyChange(world.Modified, pod)
	case world.ClaimVolume:
		return s.applyChange(world.Modified, s.change(action.Volume.Name, []string{"claim=" + action.Claim.Name}))
	case world.SelectNode:
		return s.applyChange(world.Modified, s.change(action.Claim.Name, []string{"node=" + action.Node}))
	}
	if events := deviceoutcome.Of(s.players[0].effects[id], s.players[0].Store()); len(events) > 0 {
		change := events[0].(world.Changed)
		return s.applyChange(change.Op, change.Object)
	}
	s.t.Fatalf("effect %d changes nothing in the cluster", id)
	return nil
}

func outcomeFrom(words []string) world.Outcome {
	o := world.Outcome{Code: fwk.Error}
	if reason, found := strings.CutPrefix(words[0], "reason="); found {
		o.Reason, words = metav1.StatusReason(reason), words[1:]
	}
	o.Message = strings.Join(words, " ")
	return o
}

// run runs a plugin call of each player.
func (s *storyRun) run(id world.EffectID) func(*player) {
	now := s.now
	return func(p *player) {
		status := p.effects[id].(world.RunPlugin).Call(s.t.Context())
		ended := world.EffectDone{Effect: id, Outcome: world.Outcome{Code: status.Code(), Message: status.Message()}}
		if err := p.Apply(world.Input{At: now, Event: ended}); err != nil {
			p.logf("refused: %v", err)
		}
	}
}

// signal makes a plugin allow or reject a waiting pod between two inputs.
func (s *storyRun) signal(verb string, args []string) func(*player) {
	uid := s.objects[args[1]].GetUID()
	passed := s.applyEvent(world.Tick{})
	return func(p *player) {
		waiting := p.handle.GetWaitingPod(uid)
		switch {
		case waiting == nil:
			p.logf("%s does not wait", args[1])
		case verb == "allow":
			waiting.Allow(args[0])
		default:
			waiting.Reject(args[0], strings.Join(args[2:], " "))
		}
		passed(p)
	}
}

// build builds an object from key=value arguments.
func (s *storyRun) build(kind string, args []string) world.Object {
	switch kind {
	case "node":
		s.objects[args[0]] = mk.Node(args[0]).CPU("4").Memory("8Gi").Obj()
	case "pod":
		s.objects[args[0]] = mk.Pod(args[0]).CPU("1").Obj()
	case "slice", "deviceclass", "devices", "rule":
		s.objects[args[0]] = newDevices(kind, args[0])
	case "workload":
		s.objects[args[0]] = mk.Workload(args[0])
	default:
		s.objects[args[0]] = newStorage(kind, args[0])
	}
	return s.change(args[0], args[1:])
}

// change returns an object with changed properties.
func (s *storyRun) change(name string, args []string) world.Object {
	if s.objects[name] == nil {
		s.t.Fatalf("no object %q", name)
	}
	object := s.objects[name].DeepCopyObject().(world.Object)
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch o := object.(type) {
		case *v1.Pod:
			s.changePod(o, key, value)
		case *v1.Node:
			s.changeNode(o, key, value)
		case *resourcev1.ResourceClaim, *resourcev1.ResourceSlice, *resourcev1.DeviceClass, *resourcev1alpha3.DeviceTaintRule:
			s.changeDevices(o, key, value)
		case *workloads.Workload:
			addPodGroup(o, key, value)
		default:
			s.changeStorage(o, key, value)
		}
	}
	return object
}

func (s *storyRun) changeNode(node *v1.Node, key, value string) {
	switch key {
	case "cpu":
		node.Status.Allocatable[v1.ResourceCPU] = mk.Resources("cpu", value)[v1.ResourceCPU]
	case "zone":
		node.Labels[v1.LabelTopologyZone] = value
	case "taint":
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: value, Effect: v1.TaintEffectNoSchedule})
	case "condition":
		node.Status.Conditions = append(node.Status.Conditions, v1.NodeCondition{Type: v1.NodeConditionType(value), Status: v1.ConditionTrue})
	case "cordoned":
		node.Spec.Unschedulable = value == "yes"
	default:
		s.t.Fatalf("unknown key %q of a node", key)
	}
}

func (s *storyRun) changePod(pod *v1.Pod, key, value string) {
	switch key {
	case "cpu":
		pod.Spec.Containers[0].Resources.Requests = mk.Resources("cpu", value)
	case "priority":
		n, _ := strconv.Atoi(value)
		priority := int32(n)
		pod.Spec.Priority = &priority
	case "node":
		pod.Spec.NodeName = value
	case "nominated":
		pod.Status.NominatedNodeName = value
	case "scheduler":
		pod.Spec.SchedulerName = value
	case "uid":
		pod.UID = types.UID(value)
	case "claim":
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: value, VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: value},
		}})
	case "devices":
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: value, ResourceClaimName: &value})
	case "of":
		workloads.SetRef(&pod.ObjectMeta, groupReference(value))
	case "extended":
		pod.Spec.Containers[0].Resources.Requests = mk.Resources("cpu", "1", "example.com/gpu", value)
	case "image":
		pod.Spec.Containers[0].Image = value
	case "gate":
		pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: value}}
	case "ungated":
		pod.Spec.SchedulingGates = nil
	case "only":
		pod.Spec.NodeSelector = map[string]string{v1.LabelHostname: value}
	case "tolerates":
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: value, Operator: v1.TolerationOpExists})
	case "deleting":
		pod.DeletionTimestamp = &metav1.Time{Time: s.now}
	default:
		s.t.Fatalf("unknown key %q of a pod", key)
	}
}
