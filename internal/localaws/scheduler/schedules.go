package scheduler

import (
	"reflect"

	bolt "go.etcd.io/bbolt"
)

// given is a schedule in an answer that gives its ARN alone.
type given struct {
	ScheduleArn string
}

func (db *DB) createSchedule(c call) (any, error) {
	d, err := c.document()
	if err != nil {
		return nil, err
	}
	key := keyOf(d.GroupName, c.name)
	made := record{document: d, Arn: db.arn(d.GroupName, c.name), Name: c.name, CreationDate: db.epoch(), LastModificationDate: db.epoch(), Revision: 1}
	return given{made.Arn}, db.change(func(tx *bolt.Tx) (func(), error) {
		if _, ok, err := find[group](tx, groupsBucket, d.GroupName); err != nil || !ok {
			return nil, orNotFound(err, "Schedule group %s does not exist.", d.GroupName)
		}
		old, exists, err := find[record](tx, schedulesBucket, key)
		if err != nil {
			return nil, err
		}
		if exists && d.ClientToken != "" && reflect.DeepEqual(old.document, d) {
			return nil, nil // the same call again, whose answer was lost
		}
		if exists {
			return nil, conflict("Schedule %s already exists.", c.name)
		}
		return func() { db.start(made) }, putJSON(tx, schedulesBucket, key, made)
	})
}

func (db *DB) updateSchedule(c call) (any, error) {
	d, err := c.document()
	if err != nil {
		return nil, err
	}
	key := keyOf(d.GroupName, c.name)
	return given{db.arn(d.GroupName, c.name)}, db.change(func(tx *bolt.Tx) (func(), error) {
		changed, ok, err := find[record](tx, schedulesBucket, key)
		if err != nil || !ok {
			return nil, orNotFound(err, "Schedule %s does not exist.", c.name)
		}
		if d.ClientToken != "" && reflect.DeepEqual(changed.document, d) {
			return nil, nil
		}
		if err := remove(tx, key); err != nil {
			return nil, err
		}
		changed.document, changed.LastModificationDate, changed.Revision = d, db.epoch(), changed.Revision+1
		return func() { db.stop(key); db.start(changed) }, putJSON(tx, schedulesBucket, key, changed)
	})
}

// document reads and checks the body of a call.
func (c call) document() (document, error) {
	var d document
	if err := c.decode(&d); err != nil {
		return document{}, err
	}
	d = d.withDefaults()
	return d, d.check(c.name)
}

// groupName is the group that the query names.
func (c call) groupName() string {
	if name := c.query("groupName"); name != "" {
		return name
	}
	return defaultGroup
}

func (db *DB) getSchedule(c call) (any, error) {
	var found record
	err := db.bolt.View(func(tx *bolt.Tx) error {
		var ok bool
		var err error
		found, ok, err = find[record](tx, schedulesBucket, keyOf(c.groupName(), c.name))
		if err != nil || !ok {
			return orNotFound(err, "Schedule %s does not exist.", c.name)
		}
		return nil
	})
	found.ClientToken, found.Revision = "", 0 // not part of the answer
	return found, err
}

func (db *DB) deleteSchedule(c call) (any, error) {
	key, token := keyOf(c.groupName(), c.name), c.query("clientToken")
	return struct{}{}, db.change(func(tx *bolt.Tx) (func(), error) {
		_, ok, err := find[record](tx, schedulesBucket, key)
		if err == nil && !ok && token != "" && db.deleted[key] == token {
			return nil, nil // the same call again, whose answer was lost
		}
		if err != nil || !ok {
			return nil, orNotFound(err, "Schedule %s does not exist.", c.name)
		}
		return func() { db.stop(key); db.deleted[key] = token }, remove(tx, key)
	})
}

// change makes a change in one transaction; what it gives is done after success.
func (db *DB) change(f func(tx *bolt.Tx) (after func(), err error)) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	var after func()
	err := db.bolt.Update(func(tx *bolt.Tx) (err error) {
		after, err = f(tx)
		return err
	})
	if err == nil && after != nil {
		after()
	}
	return err
}

func orNotFound(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return notFound(format, args...)
}
