package scheduler

import (
	"encoding/base64"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// mostResults is the most that a page holds, and its default.
const mostResults = 100

// summary is a schedule in a list.
type summary struct {
	Arn, Name, GroupName, State        string
	CreationDate, LastModificationDate float64
	Target                             struct{ Arn string }
}

func (db *DB) listSchedules(c call) (any, error) {
	found, err := db.schedules()
	if err != nil {
		return nil, err
	}
	inGroup, state := c.query("ScheduleGroup"), c.query("State")
	var matching []summary
	for _, s := range found {
		if inGroup != "" && s.GroupName != inGroup || state != "" && s.State != state || !strings.HasPrefix(s.Name, c.query("NamePrefix")) {
			continue
		}
		one := summary{Arn: s.Arn, Name: s.Name, GroupName: s.GroupName, State: s.State, CreationDate: s.CreationDate, LastModificationDate: s.LastModificationDate}
		one.Target.Arn = s.Target.Arn
		matching = append(matching, one)
	}
	page, next, err := paged(c, matching, func(s summary) string { return keyOf(s.GroupName, s.Name) })
	return struct {
		Schedules []summary
		NextToken string `json:",omitempty"`
	}{page, next}, err
}

func (db *DB) listGroups(c call) (any, error) {
	var matching []group
	err := db.bolt.View(func(tx *bolt.Tx) error {
		found, err := all[group](tx, groupsBucket)
		for _, g := range found {
			if strings.HasPrefix(g.Name, c.query("NamePrefix")) {
				matching = append(matching, g)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	page, next, err := paged(c, matching, func(g group) string { return g.Name })
	return struct {
		ScheduleGroups []group
		NextToken      string `json:",omitempty"`
	}{page, next}, err
}

// paged gives the page that a call asks for of what is in the order of keys. The
// token of the next one is the last key, so that changes in between lose nothing.
func paged[T any](c call, items []T, key func(T) string) (page []T, next string, err error) {
	most := mostResults
	if text := c.query("MaxResults"); text != "" {
		if most, err = strconv.Atoi(text); err != nil || most < 1 || most > mostResults {
			return nil, "", invalid("MaxResults is not within 1 and %d.", mostResults)
		}
	}
	after, err := base64.URLEncoding.DecodeString(c.query("NextToken"))
	if err != nil {
		return nil, "", invalid("NextToken is none of this service.")
	}
	page = []T{}
	for _, item := range items {
		if len(after) > 0 && key(item) <= string(after) {
			continue
		}
		if len(page) == most {
			return page, base64.URLEncoding.EncodeToString([]byte(key(page[most-1]))), nil
		}
		page = append(page, item)
	}
	return page, "", nil
}
