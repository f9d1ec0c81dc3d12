package store

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Names of the table's attributes that others need: the infrastructure, the
// relay's filter, operators.
const (
	PartitionKey = "pk"
	SortKey      = "sk"
	ExpiresAt    = "ttl"
	DueIndex     = "due"
	DueSlot      = "due_slot"
	DueAt        = "due_ms"
	Publish      = "publish"
)

// DueShards is into how many partitions of the due index each minute is spread,
// so that a million reminders at 09:00 have no hot key.
const DueShards = 16

// sortKey is the sort key of every job that is in no group.
var sortKey = text("job")

// KeyOf gives the primary key of a job's row.
func KeyOf(id job.ID) Item {
	if queue, group, ok := id.Group(); ok {
		return Item{PartitionKey: text("group#" + queue + "#" + group), SortKey: text("job#" + string(id))}
	}
	return Item{PartitionKey: text("job#" + string(id)), SortKey: sortKey}
}

// rowKey is the primary key of the record's row.
func (rec *Record) rowKey() Item {
	if id, ok := IDFrom(rec.key); ok && id == rec.ID {
		return rec.key
	}
	return KeyOf(rec.ID)
}

// IDFrom gives the id of the job whose row has this key; ok is false for rows of
// other kinds.
func IDFrom(key Item) (id job.ID, ok bool) {
	pk, sk := str(key[PartitionKey]), str(key[SortKey])
	if rest, found := strings.CutPrefix(pk, "job#"); found && sk == "job" {
		return job.ID(rest), true
	}
	if rest, found := strings.CutPrefix(sk, "job#"); found && strings.HasPrefix(pk, "group#") {
		return job.ID(rest), true
	}
	return "", false
}

// slot names the due index's partition of a minute and a shard.
func slot(minute time.Time, shard int) string {
	return fmt.Sprintf("%s#%02d", minute.UTC().Format("2006-01-02T15:04"), shard)
}

// shardOf spreads jobs over the shards by their id.
func shardOf(id job.ID) int { return shardOfText(string(id)) }

func shardOfText(id string) int { return int(hashOf(id) % DueShards) }

func hashOf(id string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // a hash never fails
	return h.Sum32()
}
