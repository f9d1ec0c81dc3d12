package moderation

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
)

// spamAt is the score from which a recipe is held.
const spamAt = 10

// A Finding is one thing that speaks for spam, with what it counts. The words are for
// the author.
type Finding struct {
	Score  int
	Reason string
}

// A Verdict is what the check makes of a recipe.
type Verdict struct{ Findings []Finding }

// Score is the sum of the findings.
func (v Verdict) Score() int {
	sum := 0
	for _, f := range v.Findings {
		sum += f.Score
	}
	return sum
}

// Spam tells whether the recipe is to be held.
func (v Verdict) Spam() bool { return v.Score() >= spamAt }

// Reasons gives what was found, in one sentence for the author.
func (v Verdict) Reasons() string {
	reasons := make([]string, len(v.Findings))
	for i, f := range v.Findings {
		reasons[i] = f.Reason
	}
	return strings.Join(reasons, "; ")
}

// Judge checks what an author wrote. Each rule looks at one thing, and says what it
// found; none of them alone holds a recipe for little.
func Judge(c recipes.Content) Verdict {
	text := c.Words()
	var v Verdict
	for _, rule := range []func(text string) Finding{links, phrases, shouting, repetition} {
		if f := rule(text); f.Score > 0 {
			v.Findings = append(v.Findings, f)
		}
	}
	return v
}

// links: one may lead to where a recipe came from; each further one counts.
func links(text string) Finding {
	lower := strings.ToLower(text)
	n := strings.Count(lower, "http://") + strings.Count(lower, "https://") + strings.Count(strings.ReplaceAll(lower, "://www.", "://"), "www.")
	if n < 2 {
		return Finding{}
	}
	return Finding{4 * (n - 1), fmt.Sprintf("it has %d links", n)}
}

// phrases: what spam says, and no recipe does.
func phrases(text string) Finding {
	plain := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	f := Finding{}
	var said []string
	for _, p := range known {
		if strings.Contains(plain, p.text) {
			f.Score += p.score
			said = append(said, "“"+p.text+"”")
		}
	}
	f.Reason = "it says " + strings.Join(said, ", ")
	return f
}

// shouting: a third of the letters of a text of some length in capitals.
func shouting(text string) Finding {
	letters, capitals := 0, 0
	for _, r := range text {
		if unicode.IsUpper(r) || unicode.IsLower(r) {
			letters++
		}
		if unicode.IsUpper(r) {
			capitals++
		}
	}
	if letters < 40 || 3*capitals < letters {
		return Finding{}
	}
	return Finding{3, fmt.Sprintf("%d of its %d letters are capitals", capitals, letters)}
}

// repetition: one long word makes up a quarter of a text of some length.
func repetition(text string) Finding {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	counts := map[string]int{}
	most := ""
	for _, w := range words {
		if counts[w]++; len(w) > 3 && counts[w] > counts[most] {
			most = w
		}
	}
	if n := counts[most]; most != "" && n >= 10 && 4*n >= len(words) {
		return Finding{6, fmt.Sprintf("%d of its %d words are “%s”", n, len(words), most)}
	}
	return Finding{}
}
