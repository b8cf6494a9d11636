package podapi

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
)

// containers checks the containers and the init containers, whose names all differ.
func containers(s *v1.PodSpec, path *field.Path) field.ErrorList {
	if len(s.Containers) == 0 {
		return append(field.ErrorList{field.Required(path.Child("containers"), "")},
			initContainers(s.InitContainers, map[string]bool{}, path.Child("initContainers"))...)
	}
	var wrong field.ErrorList
	at := path.Child("containers")
	names, ports := map[string]bool{}, map[string]bool{}
	for i := range s.Containers {
		c := &s.Containers[i]
		wrong = append(wrong, container(c, at.Index(i))...)
		if names[c.Name] {
			wrong = append(wrong, field.Duplicate(at.Index(i).Child("name"), c.Name))
		}
		names[c.Name] = true
		wrong = append(wrong, containerRestartPolicy(c.RestartPolicy, at.Index(i).Child("restartPolicy"))...)
		wrong = append(wrong, hostPorts(c.Ports, ports, at.Index(i).Child("ports"))...)
	}
	return append(wrong, initContainers(s.InitContainers, names, path.Child("initContainers"))...)
}

// initContainers checks the init containers. They run one after the other, so that two may have the same port.
func initContainers(list []v1.Container, names map[string]bool, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for i := range list {
		c := &list[i]
		wrong = append(wrong, container(c, path.Index(i))...)
		wrong = append(wrong, containerRestartPolicy(c.RestartPolicy, path.Index(i).Child("restartPolicy"))...)
		if names[c.Name] {
			wrong = append(wrong, field.Duplicate(path.Index(i).Child("name"), c.Name))
		}
		if c.Name != "" {
			names[c.Name] = true
		}
		// The API server looks at each one alone, and so says that it is the first.
		wrong = append(wrong, hostPorts(c.Ports, map[string]bool{}, path.Index(0).Child("ports"))...)
	}
	return wrong
}

// container checks what containers of all sorts have.
func container(c *v1.Container, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if c.Name == "" {
		wrong = append(wrong, field.Required(path.Child("name"), ""))
	} else {
		wrong = append(wrong, label(c.Name, path.Child("name"))...)
	}
	wrong = append(wrong, portsOf(c.Ports, path.Child("ports"))...)
	return append(wrong, containerResources(c.Resources.Limits, c.Resources.Requests, path.Child("resources"))...)
}

func containerRestartPolicy(policy *v1.ContainerRestartPolicy, path *field.Path) field.ErrorList {
	if policy == nil {
		return nil
	}
	known := []v1.ContainerRestartPolicy{v1.ContainerRestartPolicyAlways, v1.ContainerRestartPolicyNever, v1.ContainerRestartPolicyOnFailure}
	for _, one := range known {
		if *policy == one {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(path, *policy, known)}
}

func portsOf(list []v1.ContainerPort, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	names := map[string]bool{}
	for i := range list {
		p, at := &list[i], path.Index(i)
		if p.Name != "" {
			messages := validation.IsValidPortName(p.Name)
			wrong = append(wrong, deviceapi.Invalid(at.Child("name"), p.Name, messages)...)
			if len(messages) == 0 && names[p.Name] {
				wrong = append(wrong, field.Duplicate(at.Child("name"), p.Name))
			}
			names[p.Name] = true
		}
		wrong = append(wrong, port(p, at)...)
	}
	return wrong
}

func port(p *v1.ContainerPort, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if p.ContainerPort == 0 {
		wrong = append(wrong, field.Required(path.Child("containerPort"), ""))
	} else {
		wrong = append(wrong, deviceapi.Invalid(path.Child("containerPort"), p.ContainerPort, validation.IsValidPortNum(int(p.ContainerPort)))...)
	}
	if p.HostPort != 0 {
		wrong = append(wrong, deviceapi.Invalid(path.Child("hostPort"), p.HostPort, validation.IsValidPortNum(int(p.HostPort)))...)
	}
	return append(wrong, oneOf(p.Protocol, path.Child("protocol"), v1.ProtocolSCTP, v1.ProtocolTCP, v1.ProtocolUDP)...)
}

// hostPorts adds ports to those of the host that are taken.
func hostPorts(list []v1.ContainerPort, taken map[string]bool, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for i := range list {
		if list[i].HostPort == 0 {
			continue
		}
		key := fmt.Sprintf("%s/%s/%d", list[i].Protocol, list[i].HostIP, list[i].HostPort)
		if taken[key] {
			wrong = append(wrong, field.Duplicate(path.Index(i).Child("hostPort"), key))
		}
		taken[key] = true
	}
	return wrong
}

// hostNetwork checks that containers in the host's network have the host's ports. Those of a template get them with the pod.
func hostNetwork(s *v1.PodSpec, path *field.Path) field.ErrorList {
	if !s.HostNetwork {
		return nil
	}
	var wrong field.ErrorList
	for i := range s.Containers {
		for j, p := range s.Containers[i].Ports {
			if p.HostPort != 0 && p.HostPort != p.ContainerPort {
				wrong = append(wrong, field.Invalid(path.Index(i).Child("ports").Index(j).Child("hostPort"), p.HostPort,
					"must match `containerPort` when `hostNetwork` is true"))
			}
		}
	}
	return wrong
}
