package dynamodb

import "github.com/nightshift-go/nightshift/internal/ddb"

// A capacity is units that something used.
type capacity struct {
	CapacityUnits float64
}

// A consumedCapacity is what one table's part of a request used.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConsumedCapacity.html
type consumedCapacity struct {
	TableName              string
	CapacityUnits          float64
	ReadCapacityUnits      float64             `json:",omitempty"`
	WriteCapacityUnits     float64             `json:",omitempty"`
	Table                  *capacity           `json:",omitempty"`
	GlobalSecondaryIndexes map[string]capacity `json:",omitempty"`
}

// A meter counts a request's capacity per table. The zero wanted asks for
// nothing and counts nothing.
type meter struct {
	wanted string // NONE, TOTAL or INDEXES
	factor float64
	tables []*consumedCapacity
}

// newMeter checks ReturnConsumedCapacity. The factor is 1, 2 in transactions,
// and 0.5 for eventually consistent reads.
func newMeter(wanted string, factor float64) (*meter, error) {
	return &meter{wanted: wanted, factor: factor}, oneOf("returnConsumedCapacity", wanted, "INDEXES", "TOTAL", "NONE")
}

func consistency(strong bool) float64 {
	if strong {
		return 1
	}
	return 0.5
}

// add counts units for a table or, with a name, for one of its indexes.
func (m *meter) add(t *table, index string, units float64) {
	if m.wanted == "" || m.wanted == "NONE" {
		return
	}
	at := m.of(t.Name)
	at.CapacityUnits += units
	if m.wanted != "INDEXES" {
		return
	}
	if index == "" {
		at.Table.CapacityUnits += units
		return
	}
	if at.GlobalSecondaryIndexes == nil {
		at.GlobalSecondaryIndexes = map[string]capacity{}
	}
	at.GlobalSecondaryIndexes[index] = capacity{at.GlobalSecondaryIndexes[index].CapacityUnits + units}
}

func (m *meter) of(name string) *consumedCapacity {
	for _, c := range m.tables {
		if c.TableName == name {
			return c
		}
	}
	c := &consumedCapacity{TableName: name}
	if m.wanted == "INDEXES" {
		c.Table = &capacity{}
	}
	m.tables = append(m.tables, c)
	return c
}

// one is the only table's capacity, or nil where none was asked for.
func (m *meter) one() *consumedCapacity {
	if len(m.tables) == 0 {
		return nil
	}
	return m.tables[0]
}

// read counts a read of so many bytes: a unit for each 4 KB.
func (m *meter) read(t *table, index string, size int) {
	m.add(t, index, m.factor*float64(max(1, (size+4095)/4096)))
}

// wrote counts a write: a unit for each KB of the larger of the two items, and
// for each index whose entry changed.
func (m *meter) wrote(c change) {
	m.add(c.table, "", m.factor*writeUnits(c.old, c.next))
	for _, x := range c.table.Indexes {
		oldKey, oldEntry := x.entry(c.table, c.old)
		nextKey, nextEntry := x.entry(c.table, c.next)
		switch {
		case oldKey == nil && nextKey == nil:
		case oldKey != nil && nextKey != nil && string(oldKey) != string(nextKey):
			m.add(c.table, x.Definition.IndexName, m.factor*(writeUnits(oldEntry, nil)+writeUnits(nil, nextEntry)))
		case !ddb.EqualItems(oldEntry, nextEntry):
			m.add(c.table, x.Definition.IndexName, m.factor*writeUnits(oldEntry, nextEntry))
		}
	}
}

func writeUnits(old, next ddb.Item) float64 {
	return float64(max(1, (max(old.Size(), next.Size())+1023)/1024))
}
