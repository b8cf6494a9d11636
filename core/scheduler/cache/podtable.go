package cache

import (
	"iter"
	"maps"
)

// podTable maps UIDs to pods. It is sharded so that the cost of a fork does not depend on the number of pods: both
// sides share the shards, and a write copies one shard.
type podTable struct {
	shards [podShards]podShard
	count  int
}

// podShards makes a shard of 100,000 pods about 400 entries, which are copied in a few microseconds.
const (
	podShardBits = 8
	podShards    = 1 << podShardBits
)

type podShard struct {
	pods   map[string]*PodInfo
	shared bool
}

// shardOf hashes as FNV-1a does, eight bytes at a time. Every bit of a product depends on the lower ones only, so that the highest
// number the shard.
func shardOf(uid string) int {
	const offset, prime = 14695981039346656037, 1099511628211
	hash := uint64(offset)
	for ; len(uid) >= 8; uid = uid[8:] {
		word := uint64(uid[0]) | uint64(uid[1])<<8 | uint64(uid[2])<<16 | uint64(uid[3])<<24 |
			uint64(uid[4])<<32 | uint64(uid[5])<<40 | uint64(uid[6])<<48 | uint64(uid[7])<<56
		hash = (hash ^ word) * prime
	}
	for i := range len(uid) {
		hash = (hash ^ uint64(uid[i])) * prime
	}
	return int(hash >> (64 - podShardBits))
}

func (t *podTable) get(uid string) *PodInfo { return t.shards[shardOf(uid)].pods[uid] }

func (t *podTable) set(uid string, info *PodInfo) {
	pods := t.own(uid)
	before := len(pods)
	pods[uid] = info
	t.count += len(pods) - before
}

func (t *podTable) remove(uid string) {
	pods := t.own(uid)
	before := len(pods)
	delete(pods, uid)
	t.count += len(pods) - before
}

func (t *podTable) own(uid string) map[string]*PodInfo {
	shard := &t.shards[shardOf(uid)]
	switch {
	case shard.pods == nil:
		shard.pods = map[string]*PodInfo{}
	case shard.shared:
		shard.pods = maps.Clone(shard.pods)
	}
	shard.shared = false
	return shard.pods
}

// fork returns a table that shares every shard with this one.
func (t *podTable) fork() podTable {
	for i := range t.shards {
		t.shards[i].shared = true
	}
	return *t
}

// all iterates over every pod, in no defined order.
func (t *podTable) all() iter.Seq2[string, *PodInfo] {
	return func(yield func(string, *PodInfo) bool) {
		for i := range t.shards {
			for uid, info := range t.shards[i].pods {
				if !yield(uid, info) {
					return
				}
			}
		}
	}
}
