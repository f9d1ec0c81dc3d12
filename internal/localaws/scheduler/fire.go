package scheduler

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	bolt "go.etcd.io/bbolt"

	engine "github.com/nightshift-go/nightshift/internal/runner/scheduler"
)

// A firing is a schedule that fires.
type firing struct {
	*engine.Schedule
	cancel context.CancelFunc
}

// start lets a schedule fire. The caller holds the mutex.
func (db *DB) start(s record) {
	key := keyOf(s.GroupName, s.Name)
	if !db.fires || s.State != "ENABLED" || db.ctx.Err() != nil {
		return
	}
	run, err := engine.New(db.engine(s, key))
	if err != nil {
		db.cfg.Log(err.Error())
		return
	}
	ctx, cancel := context.WithCancel(db.ctx)
	db.running[key] = firing{run, cancel}
	db.firing.Go(func() {
		defer cancel()
		run.Run(ctx)
	})
}

// stop ends the firing of a schedule, if it fires. The caller holds the mutex.
func (db *DB) stop(key string) {
	if f, fires := db.running[key]; fires {
		f.cancel()
		delete(db.running, key)
	}
}

func (db *DB) engine(s record, key string) engine.Config {
	config := engine.Config{
		Name: s.Name, ARN: s.Arn, Expression: s.ScheduleExpression, Zone: s.ScheduleExpressionTimezone,
		Start: timeOf(s.StartDate), End: timeOf(s.EndDate), Made: timeOf(&s.LastModificationDate), Input: s.Target.Input,
		Region: db.cfg.Region, AccountID: db.cfg.AccountID, TargetARN: s.Target.Arn, Deliver: db.deliver(*s.Target),
		States: states{db, key, s.Revision}, Log: db.cfg.Log, Clock: db.cfg.Clock, Now: db.cfg.Now, Sleep: db.cfg.Sleep,
	}
	if p := s.Target.RetryPolicy; p != nil {
		config.Retry.Attempts = p.MaximumRetryAttempts
		if p.MaximumEventAgeInSeconds != nil {
			config.Retry.Age = time.Duration(*p.MaximumEventAgeInSeconds) * time.Second
		}
	}
	if q := s.Target.DeadLetterConfig; q != nil && q.Arn != "" {
		config.DeadLetter = func(ctx context.Context, payload []byte, attributes map[string]string) error {
			return db.cfg.Send(ctx, q.Arn, string(payload), "", attributes)
		}
	}
	if s.ActionAfterCompletion == "DELETE" {
		config.Completed = func() { db.complete(key, s.Revision) }
	}
	return config
}

// complete deletes a schedule that is over, unless it was changed meanwhile.
func (db *DB) complete(key string, revision int) {
	err := db.change(func(tx *bolt.Tx) (func(), error) {
		current, ok, err := find[record](tx, schedulesBucket, key)
		if err != nil || !ok || current.Revision != revision {
			return nil, err
		}
		return func() { db.stop(key) }, remove(tx, key)
	})
	if err != nil {
		db.cfg.Log(fmt.Sprintf("schedule %s is over and could not be deleted: %v", key, err))
	}
}

// deliver gives the way to a target.
func (db *DB) deliver(t target) engine.Deliver {
	if lambdaPrefix.MatchString(t.Arn) {
		return func(ctx context.Context, payload []byte, concluded func()) error {
			if db.cfg.Invoke == nil {
				return fmt.Errorf("%w: there are no functions here: %s", engine.ErrFinal, t.Arn)
			}
			return finally(db.cfg.Invoke(ctx, t.Arn, payload, concluded))
		}
	}
	group := ""
	if t.SqsParameters != nil {
		group = t.SqsParameters.MessageGroupID
	}
	return func(ctx context.Context, payload []byte, concluded func()) error {
		if err := db.cfg.Send(ctx, t.Arn, string(payload), group, nil); err != nil {
			return finally(err)
		}
		concluded()
		return nil
	}
}

// finally marks what no retry can mend.
func finally(err error) error {
	if errors.Is(err, ErrNoTarget) {
		return fmt.Errorf("%w: %w", engine.ErrFinal, err)
	}
	return err
}

func timeOf(epoch *float64) time.Time {
	if epoch == nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(math.Round(*epoch * 1000))).UTC()
}
