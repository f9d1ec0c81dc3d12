package search

import (
	"fmt"
	"strings"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// An entry is one word of one recipe. Key: word#<word>, <weight>#<recipe>: the
// heaviest come first when a word's recipes are read from their end.
type entry struct {
	Card   recipes.Card `dynamodbav:"card"`
	Weight int          `dynamodbav:"weight"`
}

// A place is where a recipe's entry lies: "024 soup". Its word and its weight.
type place string

func placeOf(word string, weight int) place { return place(fmt.Sprintf("%03d %s", weight, word)) }

// word gives the word, and the weight as keys have it.
func (p place) word() (word, weight string) {
	weight, word, _ = strings.Cut(string(p), " ")
	return word, weight
}

// key is that of a recipe's entry at the place.
func (p place) key(recipe string) rows.Key {
	word, weight := p.word()
	return rows.Key{Partition: partitionOf(word), Sort: weight + "#" + recipe}
}

func partitionOf(word string) string { return "word#" + word }

// indexed is what the index has of a recipe: it changes in the transactions in which
// its entries do, so that it is always true. Key: indexed#<recipe>, "indexed".
type indexed struct {
	// Entries are those that there are, with the version of the recipe whose card
	// they show.
	Entries map[place]int `dynamodbav:"entries"`
	// Revision counts the changes of this row.
	Revision int `dynamodbav:"revision"`
}

func indexedKey(recipe string) rows.Key {
	return rows.Key{Partition: "indexed#" + recipe, Sort: "indexed"}
}
