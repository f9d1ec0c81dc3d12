package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A Lease is the right of one attempt to a job.
type Lease struct {
	// Token names the lease. It is drawn before the claim is sent (NewToken).
	Token string
	// Until is when the lease ends.
	Until time.Time
	// Alone tells that the worker has no other job in hand.
	Alone bool
}

// A Claim is what became of asking for a job.
type Claim struct {
	// Granted tells that the job is the caller's, until the lease ends.
	Granted bool
	// Finding is what was found instead, where it was not granted.
	Finding lifecycle.Finding
	// Until is when to ask again, for Early and Busy.
	Until time.Time
	// Record is the row as it is (granted), or as it was found.
	Record Record
}

// claimTries bounds how often a claim is repeated whose row changed between.
const claimTries = 3

// Claim asks for a queued job. Two findings ask the caller to make sure that the
// job would run alone: an Orphaned job is then to be had by TakeOver, a Suspect one
// by Claim.
func (j *Jobs) Claim(ctx context.Context, id job.ID, lease Lease) (Claim, error) {
	var claim Claim
	for range claimTries {
		var err error
		if claim, err = j.claimOnce(ctx, id, lease); err != nil || claim.Finding != lifecycle.Contended {
			return claim, err
		}
	}
	return claim, fmt.Errorf("store: claiming job %s: it changed %d times between", id, claimTries)
}

const (
	claimUpdate = "SET #state = :running, #token = :token, #lease_until_ms = :until, #alone = :alone," +
		" #attempt = #attempt + :one, #started_ms = if_not_exists(#started_ms, :now)" +
		" REMOVE #publish, #not_before_ms"
	claimable = "#state = :queued AND (attribute_not_exists(#not_before_ms) OR #not_before_ms <= :soon)"
)

var (
	claimAmongOthers = newTemplate(claimUpdate, claimable+" AND attribute_not_exists(#suspect)")
	claimAlone       = newTemplate(claimUpdate+", #suspect", claimable)
)

func (j *Jobs) claimOnce(ctx context.Context, id job.ID, lease Lease) (Claim, error) {
	now := j.now()
	write := claimAmongOthers
	if lease.Alone {
		write = claimAlone
	}
	// Key: the job's. Condition: queued, not before its time (a second's
	// tolerance), and no suspect unless it runs alone. Comes back: the whole row, with the arguments; on failure the
	// row as it was. A lost race is decided by lifecycle.Refused; Mine means
	// that the claim was applied and its answer lost.
	rec, lost, err := j.write(ctx, "claiming", id, write.of(KeyOf(id), Item{
		":queued": queued, ":running": running,
		":token": text(lease.Token), ":until": millis(lease.Until), ":alone": boolean(lease.Alone),
		":one": one, ":now": millis(now), ":soon": millis(now.Add(lifecycle.Tolerance)),
	}))
	if err != nil {
		return Claim{}, err
	}
	return claimed(rec, lost, lease, now), nil
}

// TakeOver asks for a job whose owner's lease has ended, found as the record
// says. It is granted for the caller to run alone; it may also turn out that the
// job is now dead (its worker died alone as often as it may) or cancelled, which
// is a Finding of Finished.
func (j *Jobs) TakeOver(ctx context.Context, found Record, lease Lease) (Claim, error) {
	now := j.now()
	next := lifecycle.TakeOver(found.Row)
	if next.To.Final() {
		return j.buryOrphan(ctx, found, next, lease)
	}
	// Key: the job's. Condition: still running under the token that was found.
	// Comes back: the whole row; on failure the row as it was. A lost race
	// means that another worker was first, or that the owner lives.
	rec, lost, err := j.write(ctx, "taking over", found.ID, update(found.rowKey(),
		"SET #token = :token, #lease_until_ms = :until, #alone = :alone, #attempt = :attempt, #deaths = :deaths",
		"#state = :running AND #token = :found",
		Item{
			":running": running, ":found": text(found.Token),
			":token": text(lease.Token), ":until": millis(lease.Until), ":alone": boolean(true),
			":attempt": number(next.Attempt), ":deaths": number(next.Deaths),
		}))
	if err != nil {
		return Claim{}, err
	}
	return claimed(rec, lost, lease, now), nil
}

// buryOrphan ends a job whose worker died and that does not run again.
func (j *Jobs) buryOrphan(ctx context.Context, found Record, next lifecycle.Takeover, lease Lease) (Claim, error) {
	outcome := lifecycle.Outcome{To: next.To}
	if next.To == lifecycle.Dead {
		outcome.Err = &lifecycle.DeathError{Deaths: next.Deaths}
	}
	w, err := j.finalWrite(found, outcome)
	if err != nil {
		return Claim{}, err
	}
	// The final write is made under the dead owner's token, and leaves the
	// caller's on the row, so that a lost answer is known again.
	w.Update = "SET #token = :mine, #deaths = :deaths, " + w.Update[len("SET "):]
	w.Values[":mine"], w.Values[":deaths"] = text(lease.Token), number(next.Deaths)
	w.Names = namesIn(w.Update, w.Condition)
	rec, lost, err := j.finish(ctx, found, outcome, w)
	if err != nil {
		return Claim{}, err
	}
	if lost && !(rec.State == next.To && rec.Token == lease.Token) {
		return claimed(rec, lost, lease, j.now()), nil
	}
	return Claim{Finding: lifecycle.Finished, Record: rec}, nil
}

// claimed reads the answer to a claim: the row as it is now, or, where the
// condition failed, as it was. A row that has the caller's token is the caller's.
func claimed(rec Record, lost bool, lease Lease, now time.Time) Claim {
	if !lost {
		return Claim{Granted: true, Finding: lifecycle.Mine, Record: rec}
	}
	finding, until := lifecycle.Refused(rec.Row, lease.Token, lease.Alone, now)
	return Claim{Granted: finding == lifecycle.Mine, Finding: finding, Until: until, Record: rec}
}
