package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Crème Brûlée":                       "creme brule",
		"CREME BRU\u0302LE\u0301E":           "creme brule",
		"Tomatoes, tomato; TOMATO!":          "tomato tomato tomato",
		"the soup of the day":                "soup day",
		"200 g flour, 2 tbsp sugar, 1½ cups": "flour sugar",
		"minutes ounces litres":              "",
		"Gruß aus Köln":                      "gruss aus koln",
		"smørrebrød, łosoś":                  "smorrebrod loso",
		"ﬁsh ＦＩＳＨ":                           "fish fish",
		"7up 1er":                            "7up 1er",
		"a b c 1 22":                         "",
		"борщ Борщ":                          "борщ борщ",
		"ψωμί":                               "ψωμι",
		"味噌汁":                                "味噌 噌汁",
		"鍋":                                  "鍋",
		"カレーライス":                             "カレ レー ーラ ライ イス",
		"ガ カ":                                "ガ カ",
		"김치찌개":                               "김치찌개",
		"दाल मखनी":                           "दाल मखनी",
		"cook's choice":                      "cook choic",
		"bad\xffbytes":                       "bad byte",
		"":                                   "",
	} {
		if got := strings.Join(slices.Collect(Words(text)), " "); got != want {
			t.Errorf("%q has the words %q, want %q", text, got, want)
		}
	}
}

// FuzzWords: whatever the text, words are short, whole and the same each time.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"Crème brûlée", "味噌汁 カレー", "a\xffb", strings.Repeat("é", 100), "ﬃ½…", "\u0130stanbul", "👩‍🍳"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := slices.Collect(Words(text))
		for _, word := range words {
			if word == "" || len(word) > longestWord || !utf8.ValidString(word) || strings.ContainsFunc(word, isGap) {
				t.Errorf("%q has the word %q", text, word)
			}
			key := placeOf(word, 7)
			if w, weight := key.word(); w != word || weight != "007" {
				t.Errorf("the place %q is read as %q, %q", key, w, weight)
			}
		}
		if again := slices.Collect(Words(text)); !slices.Equal(words, again) {
			t.Errorf("%q has the words %q, and then %q", text, words, again)
		}
		if upper := strings.ToUpper(text); utf8.ValidString(text) && isASCII(text) && !slices.Equal(words, slices.Collect(Words(upper))) {
			t.Errorf("%q and %q have other words", text, upper)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add("")
	f.Add(cursor{1, 2345, "abc"}.String())
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCursor(text)
		if err == nil && text != "" && c.String() != text {
			t.Errorf("%q was read as %v", text, c)
		}
	})
}
