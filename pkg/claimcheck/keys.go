package claimcheck

import (
	"strings"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Prefix is how the keys of all jobs' objects begin. A job's are below its id,
// which has letters, digits, dots, dashes and underscores alone, and never a dot
// by itself between two slashes: all of them characters that S3 calls safe.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
const Prefix = "jobs/"

const (
	argsName   = "args-"
	resultName = "result-"
)

// ArgsKey is the key of a job's arguments. drawn is a name made for this one
// object (store.Jobs.NewToken): a request that is repeated, one that uses another's
// id, and one that replaces a job's arguments by newer ones write objects of their
// own.
func ArgsKey(id job.ID, drawn string) string { return Prefix + string(id) + "/" + argsName + drawn }

// ResultKey is the key of a result. drawn is as in ArgsKey: an attempt whose lease
// is lost, or whose row was not written, leaves an object that no row names, and not
// even its own next try writes over one that a row may name.
func ResultKey(id job.ID, drawn string) string {
	return Prefix + string(id) + "/" + resultName + drawn
}

// JobOf gives the job that an object belongs to; ok is false for a key that this
// package did not make.
func JobOf(key string) (id job.ID, ok bool) {
	rest, found := strings.CutPrefix(key, Prefix)
	if !found {
		return "", false
	}
	owner, name, found := strings.Cut(rest, "/")
	if !found || !isName(name, argsName) && !isName(name, resultName) {
		return "", false
	}
	id, err := job.ParseID(owner)
	return id, err == nil
}

// isName tells whether name is a kind of object and then letters and digits.
func isName(name, kind string) bool {
	drawn, found := strings.CutPrefix(name, kind)
	if !found || drawn == "" {
		return false
	}
	for i := range len(drawn) {
		c := drawn[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}
