// Package mk builds Kubernetes objects in as few words as a test or an example needs:
//
//	mk.Pod("web").CPU("500m").Memory("1Gi").Priority(10).Obj()
//	mk.Node("n1").Zone("z1").CPU("4").Memory("8Gi").Obj()
//	mk.Claim("data").Size("1Gi").Class("fast").Obj()
//	mk.ResourceClaim("gpus").Request("gpu", "gpu.example.com", 2).Obj()
//
// What is not said has an obvious value: namespace "default", a UID made of kind, namespace and name, room for 110 pods.
package mk
