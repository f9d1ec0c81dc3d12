package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// Limits of a batch.
const (
	// MaxMembers is how many jobs a batch has at most.
	MaxMembers = 100_000
	// MaxShards is over how many rows the count of a batch is spread at most.
	MaxShards = 64
	// shardMembers is how many jobs a shard has at least, as long as the batch
	// has fewer shards than MaxShards.
	shardMembers = 64
)

// ShardsFor gives over how many rows a batch of so many jobs is counted.
func ShardsFor(members int) int {
	return min(max((members+shardMembers-1)/shardMembers, 1), MaxShards)
}

// A NewBatch is a batch to be made.
type NewBatch struct {
	// ID is chosen by the producer.
	ID string
	// Total is how many jobs it is to have.
	Total int
	// Shards is over how many rows it is counted; zero means ShardsFor.
	Shards int
	// Fingerprint tells another request of the same id.
	Fingerprint string
	// After is the job that is made when all have ended.
	After FollowUp
}

// A Batch is what is known of some jobs that are waited for together.
type Batch struct {
	ID string
	// Seed is what the ids of its jobs follow from.
	Seed string
	// Total is how many jobs it was to have, and Shards over how many rows they are
	// counted. Members is how many it has: fewer where it was closed (SkipFrom).
	Total, Shards, Members int
	// Done, Dead and Cancelled count the jobs that ended so, the first time; and
	// Skipped those that are not to come.
	Done, Dead, Cancelled, Skipped int
	Created                        time.Time
	// Finished is when the last job ended; zero until then.
	Finished time.Time
	// Job is the id of the job that is made then.
	Job job.ID

	fingerprint string
	followUp    FollowUp
}

// Pending is how many jobs have not ended: they wait, run, or were never added.
func (b Batch) Pending() int { return b.Total - b.Done - b.Dead - b.Cancelled - b.Skipped }

// Member gives the place of the job of an index, from 0.
func (b Batch) Member(index int) *Member {
	shard := index % b.Shards
	return &Member{Batch: b.ID, Seed: b.Seed, Shard: shard, Size: b.among(shard, 0)}
}

// among counts the indexes of a shard from one on.
func (b Batch) among(shard, from int) int {
	n := 0
	if first := from + (shard-from%b.Shards+b.Shards)%b.Shards; first < b.Total {
		n = (b.Total-1-first)/b.Shards + 1
	}
	return n
}

// after is the job that is made at the end.
func (b *Batch) after(now time.Time) NewJob {
	n, err := b.followUp.job(job.AfterMembers(b.Seed), now)
	if err != nil {
		panic(err) // it was encoded before
	}
	n.Follows = &job.Follows{Batch: b.ID}
	return n
}

// expires is until when the batch's row is kept that ends now: as long as its last
// job may be redriven.
func (b *Batch) expires(now time.Time) time.Time {
	if at := b.after(now).NotBefore; at.After(now) {
		now = at
	}
	return now.Add(lifecycle.DeadRetention)
}

const batchPrefix = "batch#"

var batchSort = text("batch")

// BatchKey gives the primary key of a batch's row.
func BatchKey(id string) Item { return Item{PartitionKey: text(batchPrefix + id), SortKey: batchSort} }

// IsBatch tells whether a key is that of a batch's row, or of one that counts a share
// of its members.
func IsBatch(key Item) bool {
	pk := str(key[PartitionKey])
	return strings.HasPrefix(pk, batchPrefix) || strings.HasPrefix(pk, shardPrefix)
}

// CreateBatch makes a batch, in one write. made is false where the same request had
// made it before. ErrOtherRequest means that the id is another request's. A batch of
// no jobs has ended when it is made.
func (j *Jobs) CreateBatch(ctx context.Context, n NewBatch) (b Batch, made bool, err error) {
	seed, err := j.NewToken()
	if err != nil {
		return Batch{}, false, err
	}
	if n.Shards == 0 {
		n.Shards = ShardsFor(n.Total)
	}
	now := j.now()
	b = Batch{
		ID: n.ID, Seed: seed, Total: n.Total, Shards: n.Shards, Members: n.Total, Created: fromMillis(now),
		Job: n.After.id(job.AfterMembers(seed)), fingerprint: n.Fingerprint, followUp: n.After,
	}
	w, err := b.create(now)
	if err != nil {
		return Batch{}, false, err
	}
	writes := []Write{w}
	if n.Total == 0 {
		b.Finished = b.Created
		writes[0].Item["finished_ms"], writes[0].Item[ExpiresAt] = millis(now), seconds(b.expires(now))
		writes = append(writes, j.JobWrite(b.after(now)))
	}
	failed, err := j.transact(ctx, writes...)
	switch {
	case err != nil:
		return Batch{}, false, fmt.Errorf("store: making batch %q: %w", n.ID, err)
	case failed == nil:
		return b, true, nil
	case failed[0] == nil:
		return Batch{}, false, fmt.Errorf("store: making batch %q: the id of its last job is taken", n.ID)
	}
	if b, err = batchOf(failed[0].Old); err != nil {
		return Batch{}, false, err
	}
	if b.fingerprint != n.Fingerprint {
		return Batch{}, false, fmt.Errorf("%w: batch %q", ErrOtherRequest, n.ID)
	}
	return b, false, nil
}

// create is the write of a new batch's row.
func (b *Batch) create(now time.Time) (Write, error) {
	after, err := compact(b.followUp)
	if err != nil {
		return Write{}, fmt.Errorf("store: encoding the last job of batch %q: %w", b.ID, err)
	}
	row := BatchKey(b.ID)
	row["seed"], row["total"], row["shards"] = text(b.Seed), number(b.Total), number(b.Shards)
	row["open"], row["after"], row["created_ms"] = number(min(b.Shards, b.Total)), text(after), millis(b.Created)
	row["fingerprint"] = text(b.fingerprint)
	// Key: the batch's. Condition: no row, or one whose time to live is over.
	// Comes back on failure: the row that is there. A lost race: made before, by
	// this call (its answer lost), by the same request, or by a stranger.
	condition := "attribute_not_exists(#pk) OR #ttl <= :now"
	return Write{Op: Put, Item: row, Condition: condition, Names: namesIn(condition), Values: Item{":now": seconds(now)}}, nil
}

// batchOf reads a batch's row.
func batchOf(item Item) (Batch, error) {
	id, ok := strings.CutPrefix(str(item[PartitionKey]), batchPrefix)
	b := Batch{
		ID: id, Seed: str(item["seed"]), Total: int(num(item["total"])), Shards: int(num(item["shards"])),
		Done: int(num(item[countDone])), Dead: int(num(item[countDead])),
		Cancelled: int(num(item[countCancelled])), Skipped: int(num(item[countSkipped])),
		Created: at(item["created_ms"]), Finished: at(item["finished_ms"]), fingerprint: str(item["fingerprint"]),
	}
	if b.Members = b.Total; item[closedWith] != nil {
		b.Members = int(num(item[closedWith]))
	}
	err := json.Unmarshal(raw(item["after"]), &b.followUp)
	if !ok || b.Seed == "" || b.Shards < 1 || err != nil {
		return Batch{}, fmt.Errorf("%w: the batch %q", ErrUnreadable, str(item[PartitionKey]))
	}
	b.Job = b.followUp.id(job.AfterMembers(b.Seed))
	return b, nil
}

// ErrNoBatch is returned where no such batch exists, or no longer.
var ErrNoBatch = errors.New("store: no such batch")

// Batch reads a batch and how its jobs stand, consistently: one read when it has
// ended, and until then another for each sixteen shards.
func (j *Jobs) Batch(ctx context.Context, id string) (Batch, error) {
	item, err := j.driver.Get(ctx, BatchKey(id))
	if err != nil {
		return Batch{}, fmt.Errorf("store: reading batch %q: %w", id, err)
	}
	if item == nil || item[ExpiresAt] != nil && num(item[ExpiresAt]) <= j.now().Unix() {
		return Batch{}, fmt.Errorf("%w: %q", ErrNoBatch, id)
	}
	b, err := batchOf(item)
	if err == nil && b.Finished.IsZero() {
		err = j.addShards(ctx, &b)
	}
	return b, err
}

// addShards counts what the shards of an open batch have counted. The batch's own
// counts are of shards that are closed, which are counted here as well.
func (j *Jobs) addShards(ctx context.Context, b *Batch) error {
	b.Done, b.Dead, b.Cancelled, b.Skipped = 0, 0, 0, 0
	for first := 0; first < b.Shards; first += shardsTogether {
		condition := "#pk = :shards"
		query := Query{Condition: condition, Names: namesIn(condition), Values: Item{":shards": shardPartition(b.Seed, first)}}
		for {
			page, err := j.driver.Query(ctx, query)
			if err != nil {
				return fmt.Errorf("store: counting batch %q: %w", b.ID, err)
			}
			for _, row := range page.Items {
				t := tallyOf(row)
				b.Done, b.Dead = b.Done+int(t[countDone]), b.Dead+int(t[countDead])
				b.Cancelled, b.Skipped = b.Cancelled+int(t[countCancelled]), b.Skipped+int(t[countSkipped])
			}
			if query.Start = page.Next; query.Start == nil {
				break
			}
		}
	}
	return nil
}
