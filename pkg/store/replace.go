package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// Replace gives a waiting job the arguments of a newer one of the same key, and what
// is to follow that one. What the job saved of its way through the older ones
// (Continue, Progress) goes with them. It does nothing (false) where the job no longer
// waits, or is one of a batch; the record is the row as it is now, or as it was found.
//
// Where another newer job comes at the same time, one of the two is the newest: the one
// of the later AsOf, or the one that was written last. Replace is true for both.
func (j *Jobs) Replace(ctx context.Context, id job.ID, newer NewJob) (Record, bool, error) {
	found, err := j.Get(ctx, id)
	if err != nil {
		return found, false, ignoreNotFound(err)
	}
	return j.replace(ctx, found, newer)
}

// replaceTries bounds how often a job is chased that others replace between.
const replaceTries = 5

func (j *Jobs) replace(ctx context.Context, found Record, newer NewJob) (Record, bool, error) {
	for range replaceTries {
		if found.AsOf.After(newer.AsOf) && !newer.AsOf.IsZero() {
			return found, found.waits(), nil
		}
		// Key: the job's. Condition: waiting, none of a batch, which counts on it,
		// and replaced as often as read. Comes back: the whole row; on failure the
		// row as it was. A lost race: it runs or has ended, or another newer job
		// was written since, by this very call perhaps, its answer lost.
		now, lost, err := j.write(ctx, "replacing", found.ID, replaceWrite(found, newer))
		if err != nil || !lost {
			return now, err == nil, err
		}
		if !now.waits() || now.Replaced == found.Replaced {
			return now, false, nil
		}
		if !newer.AsOf.After(now.AsOf) {
			return now, true, nil // the other one was written after this one was asked for
		}
		found = now
	}
	return found, false, fmt.Errorf("store: replacing job %s: it changed %d times between", found.ID, replaceTries)
}

// waits tells whether a job has arguments that can still be replaced.
func (rec *Record) waits() bool {
	return rec.State == lifecycle.Scheduled || rec.State == lifecycle.Queued
}

// replaceWrite gives a row what of the newer job counts, and takes off what was the
// older one's.
func replaceWrite(found Record, newer NewJob) Write {
	var args, object, follow, degraded, asOf types.AttributeValue
	if newer.ArgsObject != nil {
		object = objectValue(*newer.ArgsObject)
	} else {
		args = text(string(newer.Args))
	}
	if newer.Follow != nil {
		follow = newer.Follow.written
	}
	if newer.Degraded {
		degraded = yes
	}
	if !newer.AsOf.IsZero() {
		asOf = millis(newer.AsOf)
	}
	set, remove := "SET #version = :version, #replaced = :replaced", " REMOVE #cursor, #progress"
	condition := "#state IN (:scheduled, :queued) AND attribute_not_exists(#follow.#batch) AND attribute_not_exists(#replaced)"
	values := Item{
		":queued": queued, ":scheduled": text(string(lifecycle.Scheduled)),
		":version": number(max(newer.Version, 1)), ":replaced": number(found.Replaced + 1),
	}
	for name, value := range map[string]types.AttributeValue{"args": args, "args_object": object, "follow": follow, "degraded": degraded, "as_of_ms": asOf} {
		if value == nil {
			remove += ", #" + name
			continue
		}
		set += ", #" + name + " = :" + name
		values[":"+name] = value
	}
	if found.Replaced > 0 {
		condition = strings.Replace(condition, "attribute_not_exists(#replaced)", "#replaced = :seen", 1)
		values[":seen"] = number(found.Replaced)
	}
	return update(KeyOf(found.ID), set+remove, condition, values)
}
