package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// longestWord is the most bytes of a word that count: it is part of a key.
const longestWord = 64

// Words gives the words of a text in their order, as they are looked for: without
// case, without the accents of Latin, Greek and Cyrillic letters ("Crème Brûlée" is
// "creme brulee"), without English endings ("tomatoes" is "tomato"), and without what
// says nothing: stop words, units, numbers, single letters. Chinese and Japanese,
// which put no spaces between words, come in pairs of characters.
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for run := range strings.FieldsFuncSeq(fold(text), isGap) {
			for word := range split(run) {
				if word = stem(word); tells(word) && !yield(word) {
					return
				}
			}
		}
	}
}

// letters that no decomposition reduces to a base letter.
var letters = strings.NewReplacer("æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ħ", "h", "ı", "i")

// fold makes one of all ways to write a word: compatibility forms (ﬁ, ½, full width),
// case, accents.
// https://www.unicode.org/reports/tr15/ and https://www.unicode.org/Public/UCD/latest/ucd/CaseFolding.txt
func fold(text string) string {
	folded := cases.Fold().String(norm.NFKD.String(strings.ToValidUTF8(text, " ")))
	bare := strings.Map(func(r rune) rune {
		// The accents of letters that have some; signs that other scripts can't do
		// without lie elsewhere.
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return r
	}, norm.NFKD.String(folded))
	return letters.Replace(norm.NFC.String(bare))
}

func isGap(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }

// split gives a run of characters as it is, but for stretches without spaces between
// words, which it gives as pairs of neighbours.
func split(run string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for run != "" {
			spaceless := isSpaceless(first(run))
			end := strings.IndexFunc(run, func(r rune) bool { return isSpaceless(r) != spaceless })
			if end < 0 {
				end = len(run)
			}
			part := run[:end]
			run = run[end:]
			if !spaceless {
				if !yield(part) {
					return
				}
				continue
			}
			characters := []rune(part)
			for i := 0; i == 0 || i+1 < len(characters); i++ {
				if !yield(string(characters[i:min(i+2, len(characters))])) {
					return
				}
			}
		}
	}
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// lengthMark stretches a vowel in Japanese, and is of no script.
const lengthMark = 'ー'

func isSpaceless(r rune) bool {
	return r == lengthMark || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// stem takes an English ending away, and what is too long.
func stem(word string) string {
	if isASCII(word) {
		word = english.Stem(word, false)
	}
	if len(word) > longestWord {
		word = strings.ToValidUTF8(word[:longestWord], "")
	}
	return word
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// tells is false for words that nobody looks for.
func tells(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	switch {
	case word == "", size == len(word) && !isSpaceless(r): // nothing, or a single letter
		return false
	case strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0:
		return false
	}
	return !measures[word] && !english.IsStopWord(word)
}

// measures are units and the like, stemmed, which nearly every recipe has.
var measures = map[string]bool{
	"cup": true, "tbsp": true, "tsp": true, "tablespoon": true, "teaspoon": true, "gram": true, "kg": true, "ml": true, "cl": true, "dl": true,
	"litr": true, "liter": true, "oz": true, "ounc": true, "lb": true, "pound": true, "min": true, "minut": true, "hour": true, "pinch": true,
}
