// Package trending works out in advance what is looked at and saved most: pages
// read the result in one get, and count nothing.
//
// Views and saves are counted into rows by the hour. An hour has several shards,
// so that a recipe that everyone looks at is no hot key, and views are gathered
// in memory for some seconds before they are written. Every five minutes a job
// adds up a day of hours, the younger ones for more.
package trending

import (
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

const (
	// Shards is how many partitions an hour's counts lie in. A partition takes
	// a thousand writes a second:
	// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
	Shards = 8
	// Window is how far back the list looks.
	Window = 24 * time.Hour
	// keep is how long counts are kept.
	keep = 3 * 24 * time.Hour
)

// A count is what one shard of an hour has of a recipe. Key:
// counts#<hour>#<shard>, the recipe's id.
type count struct {
	Recipe string `dynamodbav:"recipe"`
	Views  int    `dynamodbav:"views"`
	Saves  int    `dynamodbav:"saves"`
}

// partitionOf gives the partition of an hour's shard.
func partitionOf(hour time.Time, shard int) string {
	return fmt.Sprintf("counts#%s#%d", hour.UTC().Format("2006-01-02T15"), shard)
}

// add adds to the counts of a recipe. No condition: sums don't mind who else adds.
func add(c *rows.Changes, recipe string, at time.Time, shard, views, saves int) *rows.Changes {
	key := rows.Key{Partition: partitionOf(at, shard), Sort: recipe}
	return c.Update(key, "SET #recipe = :recipe, #ttl = :ttl ADD #views :views, #saves :saves", "",
		rows.Values{":recipe": recipe, ":ttl": at.Add(keep).Unix(), ":views": views, ":saves": saves})
}
