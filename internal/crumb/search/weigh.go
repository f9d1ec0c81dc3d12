package search

import (
	"cmp"
	"slices"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
)

// What a word counts by where it stands, and how often a word counts in a recipe's
// part: a step that says "stir" ten times is hardly more about stirring.
const (
	inTitle       = 8
	inTags        = 5
	inIngredients = 3
	inSummary     = 2
	inSteps       = 1
	mostRepeats   = 3
)

// mostWords is how many words of a recipe are in the index: the heaviest. It bounds
// what an edit costs. A recipe of ordinary length has a hundred.
const mostWords = 250

// weigh gives the words of a recipe with their weights: at most mostWords, each of at
// least 1 and at most (8+5+3+2+1)·3.
func weigh(c recipes.Content) map[string]int {
	weights := map[string]int{}
	add := func(weight int, texts ...string) {
		seen := map[string]int{}
		for _, text := range texts {
			for word := range Words(text) {
				if seen[word]++; seen[word] <= mostRepeats {
					weights[word] += weight
				}
			}
		}
	}
	add(inTitle, c.Title)
	add(inTags, c.Tags...)
	add(inIngredients, c.Ingredients...)
	add(inSummary, c.Summary)
	for _, step := range c.Steps {
		add(inSteps, step.Text)
	}
	return heaviest(weights)
}

// heaviest keeps mostWords of the words.
func heaviest(weights map[string]int) map[string]int {
	if len(weights) <= mostWords {
		return weights
	}
	words := make([]string, 0, len(weights))
	for word := range weights {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(weights[b]-weights[a], cmp.Compare(a, b)) })
	for _, word := range words[mostWords:] {
		delete(weights, word)
	}
	return weights
}
