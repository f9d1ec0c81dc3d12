package dynamodb

import (
	"encoding/binary"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// maxSegments is AWS's limit of TotalSegments.
const maxSegments = 1_000_000

type scanInput struct {
	readOptions   `json:",inline"`
	expressions   `json:",inline"`
	Segment       *int
	TotalSegments *int
}

func (db *DB) scan(in *scanInput) (*readOutput, error) {
	p, err := db.newPage(&in.readOptions)
	if err != nil {
		return nil, err
	}
	err = in.expressions.parse(in.FilterExpression != nil || in.ProjectionExpression != nil, func(s *ddb.Scope) error {
		return p.parse(s, &in.readOptions)
	})
	if err != nil {
		return nil, err
	}
	if err := p.choose(&in.readOptions); err != nil {
		return nil, err
	}
	if p.from, p.to, err = in.segment(); err != nil {
		return nil, err
	}
	if err := p.startAfter(in.ExclusiveStartKey, "The provided starting key is invalid: it is not within the segment"); err != nil {
		return nil, err
	}
	return &p.out, db.file.View(p.read)
}

// segment gives the interval of storage keys of the wanted segment: an equal
// part of the space of spread hashes.
func (in *scanInput) segment() (from, to []byte, err error) {
	switch {
	case in.Segment == nil && in.TotalSegments == nil:
		return nil, nil, nil
	case in.TotalSegments == nil:
		return nil, nil, invalidf("The TotalSegments parameter is required but was not present in the request when Segment parameter is present")
	case in.Segment == nil:
		return nil, nil, invalidf("The Segment parameter is required but was not present in the request when parameter TotalSegments is present")
	}
	segment, total := *in.Segment, *in.TotalSegments
	if total < 1 || total > maxSegments {
		return nil, nil, invalidf("1 validation error detected: Value '%d' at 'totalSegments' failed to satisfy constraint: Member must have value between 1 and %d", total, maxSegments)
	}
	if segment < 0 || segment >= total {
		return nil, nil, invalidf("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: %d is not less than TotalSegments: %d", segment, total)
	}
	border := func(i int) []byte {
		return binary.BigEndian.AppendUint32(nil, uint32(uint64(i)<<32/uint64(total)))
	}
	from = border(segment)
	if segment+1 < total {
		to = border(segment + 1)
	}
	return from, to, nil
}
