package scheduler

import (
	bolt "go.etcd.io/bbolt"
)

func (db *DB) newGroup(name string) group {
	return group{Arn: db.groupARN(name), Name: name, State: "ACTIVE", CreationDate: db.epoch(), LastModificationDate: db.epoch()}
}

func (db *DB) createGroup(c call) (any, error) {
	var in struct{ ClientToken string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if !namePattern.MatchString(c.name) {
		return nil, invalid("The group name %.80q is not 1 to 64 letters, digits, dots, dashes and underscores.", c.name)
	}
	return struct{ ScheduleGroupArn string }{db.groupARN(c.name)}, db.change(func(tx *bolt.Tx) (func(), error) {
		if _, exists, err := find[group](tx, groupsBucket, c.name); err != nil || exists {
			if err == nil {
				err = conflict("Schedule group %s already exists.", c.name)
			}
			return nil, err
		}
		return nil, putJSON(tx, groupsBucket, c.name, db.newGroup(c.name))
	})
}

func (db *DB) getGroup(c call) (any, error) {
	var found group
	err := db.bolt.View(func(tx *bolt.Tx) error {
		var ok bool
		var err error
		found, ok, err = find[group](tx, groupsBucket, c.name)
		if err != nil || !ok {
			return orNotFound(err, "Schedule group %s does not exist.", c.name)
		}
		return nil
	})
	return found, err
}

// deleteGroup deletes a group with its schedules, which AWS does within a while.
func (db *DB) deleteGroup(c call) (any, error) {
	if c.name == defaultGroup {
		return nil, invalid("The default schedule group can't be deleted.")
	}
	return struct{}{}, db.change(func(tx *bolt.Tx) (func(), error) {
		if _, ok, err := find[group](tx, groupsBucket, c.name); err != nil || !ok {
			return nil, orNotFound(err, "Schedule group %s does not exist.", c.name)
		}
		members, err := all[record](tx, schedulesBucket)
		if err != nil {
			return nil, err
		}
		var keys []string
		for _, s := range members {
			if s.GroupName != c.name {
				continue
			}
			key := keyOf(s.GroupName, s.Name)
			if err := remove(tx, key); err != nil {
				return nil, err
			}
			keys = append(keys, key)
		}
		return func() {
			for _, key := range keys {
				db.stop(key)
			}
		}, tx.Bucket(groupsBucket).Delete([]byte(c.name))
	})
}
