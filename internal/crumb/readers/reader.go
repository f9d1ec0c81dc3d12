// Package readers keeps who uses Crumb: accounts, passwords, who follows whom.
package readers

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// A Reader is one account. Key: reader#<id>, "reader".
type Reader struct {
	ID        string    `json:"id" dynamodbav:"id"`
	Name      string    `json:"name" dynamodbav:"name"`
	Email     string    `json:"email" dynamodbav:"email"`
	Password  []byte    `json:"-" dynamodbav:"password"` // its hash
	CreatedAt time.Time `json:"created_at" dynamodbav:"created_at"`
	// Newsletter tells whether they get the weekly newsletter.
	Newsletter bool `json:"newsletter" dynamodbav:"newsletter"`
	// Bounced says why their address takes no mail; empty: it does.
	Bounced string `json:"bounced,omitempty" dynamodbav:"bounced,omitempty"`
}

// Key is where a reader's row lies.
func Key(id string) rows.Key { return rows.Key{Partition: "reader#" + id, Sort: "reader"} }

// EmailKey is where the row lies that gives an address to one reader only. address
// is as Address makes it.
func EmailKey(address string) rows.Key {
	return rows.Key{Partition: "email#" + address, Sort: "email"}
}

// A Follower is a row of an author's followers. Key: followers#<author>, the
// follower's id.
type Follower struct {
	Reader string `json:"reader" dynamodbav:"reader"`
	// Notify asks for a notice in the inbox for each new recipe.
	Notify bool `json:"notify" dynamodbav:"notify"`
}

// FollowerKey is where an author's list has a follower.
func FollowerKey(author, reader string) rows.Key {
	return rows.Key{Partition: FollowersOf(author), Sort: reader}
}

// FollowersOf is the partition of an author's followers.
func FollowersOf(author string) string { return "followers#" + author }

// FollowsKey is where a reader's list has an author.
func FollowsKey(reader, author string) rows.Key {
	return rows.Key{Partition: "follows#" + reader, Sort: author}
}
