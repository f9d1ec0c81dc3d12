package dynamodb

import (
	"slices"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

type queryInput struct {
	readOptions            `json:",inline"`
	expressions            `json:",inline"`
	KeyConditionExpression *string
	ScanIndexForward       *bool
}

func (db *DB) query(in *queryInput) (*readOutput, error) {
	p, err := db.newPage(&in.readOptions)
	if err != nil {
		return nil, err
	}
	if in.KeyConditionExpression == nil {
		return nil, invalidf("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	var condition *ddb.KeyCondition
	err = in.expressions.parse(true, func(s *ddb.Scope) error {
		if err := p.parse(s, &in.readOptions); err != nil {
			return err
		}
		condition, err = s.KeyCondition(*in.KeyConditionExpression, p.key())
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := p.checkFilter(); err != nil {
		return nil, err
	}
	if err := p.choose(&in.readOptions); err != nil {
		return nil, err
	}
	p.from, p.to = condition.Interval(spread(condition.Hash))
	p.backward = in.ScanIndexForward != nil && !*in.ScanIndexForward
	if err := p.startAfter(in.ExclusiveStartKey, "The provided starting key is outside query boundaries based on provided conditions"); err != nil {
		return nil, err
	}
	return &p.out, db.file.View(p.read)
}

// checkFilter refuses a Query's filter on the key, for which the key condition
// is there.
func (p *page) checkFilter() error {
	if p.filter == nil {
		return nil
	}
	keys := keyNames(p.key())
	for _, name := range p.filter.Attributes() {
		if slices.Contains(keys, name) {
			return invalidf("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s", name)
		}
	}
	return nil
}
