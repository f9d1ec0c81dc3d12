package store

import (
	"fmt"
	"strings"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// lockSort is the sort key of every lock.
var lockSort = text("unique")

const lockPrefix = "unique#"

// lockKey is the primary key of a lock. Task names hold no "#".
func lockKey(task, key string) Item {
	return Item{PartitionKey: text(lockPrefix + task + "#" + key), SortKey: lockSort}
}

// lockWrite gives a lock to its job. found is the lock as it was read, whose job
// no longer holds it; nil means that there was none.
func lockWrite(lock Lock, found *Lock) Write {
	condition, values := "attribute_not_exists(#pk)", Item(nil)
	if found != nil {
		lock.N = found.N + 1
		condition, values = "#job = :job AND #n = :n", Item{":job": text(string(found.Job)), ":n": number(found.N)}
	}
	row := lockKey(lock.Task, lock.Key)
	row["job"], row["n"] = text(string(lock.Job)), number(lock.N)
	if !lock.Until.IsZero() {
		row["until_ms"] = ceilMillis(lock.Until)
	}
	// Key: the lock's. Condition: none there, or in the same hands as read.
	// Comes back on failure: the lock as it is. A lost race: another job took
	// the key, or the lock's job regained it by a redrive.
	return Write{Op: Put, Item: row, Condition: condition, Names: namesIn(condition), Values: values}
}

// lockIn reads a lock's row; nil where there is none.
func lockIn(item Item) (*Lock, error) {
	if item == nil {
		return nil, nil
	}
	name, ok := strings.CutPrefix(str(item[PartitionKey]), lockPrefix)
	task, key, split := strings.Cut(name, "#")
	if !ok || !split || str(item["job"]) == "" {
		return nil, fmt.Errorf("%w: the lock %q", ErrUnreadable, str(item[PartitionKey]))
	}
	return &Lock{Task: task, Key: key, Job: job.ID(str(item["job"])), N: num(item["n"]), Until: at(item["until_ms"])}, nil
}
