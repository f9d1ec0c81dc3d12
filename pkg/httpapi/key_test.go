package httpapi

import (
	"strings"
	"testing"
)

func TestParseKey(t *testing.T) {
	for header, want := range map[string]string{
		`"8e03978e-40d5"`:        "8e03978e-40d5",
		`8e03978e-40d5`:          "8e03978e-40d5",
		"  \"a b\"\t":            "a b",
		`"a,b"`:                  "a,b",
		`"say \"x\" and \\"`:     `say "x" and \`,
		`a=b/c+d_e~f`:            `a=b/c+d_e~f`,
		strings.Repeat("k", 255): strings.Repeat("k", 255),
	} {
		if got, err := parseKey(header); err != nil || got != want {
			t.Errorf("%s: %q %v", header, got, err)
		}
	}
	for _, header := range []string{
		"", " ", `""`, `"`, `"a`, `a"`, `"a"b`, `"a","a"`, `"a";b=1`, "a,a", "a b", "a;b", `a\b`, `"a\b"`, `"a\`,
		"a\x7f", "\"a\x00\"", "\"ä\"", "ä", strings.Repeat("k", 256), `"` + strings.Repeat("k", 256) + `"`,
	} {
		if got, err := parseKey(header); err == nil {
			t.Errorf("%q passed for %q", header, got)
		}
	}
}

func TestIDsTellTheirPartsApart(t *testing.T) {
	secret := []byte("sixteen bytes or more")
	seen := map[string]string{}
	for _, parts := range [][3]string{
		{"", "r", "k"}, {"r", "", "k"}, {"a", "bc", "k"}, {"ab", "c", "k"}, {"abc", "", "k"}, {"a", "b", "ck"}, {"", "rk", ""},
	} {
		id := string(idFor(secret, parts[0], parts[1], parts[2]))
		if twin, taken := seen[id]; taken {
			t.Errorf("%q and %s have one id", parts, twin)
		}
		seen[id] = strings.Join(parts[:], "|")
	}
	first := idFor(secret, "a", "b", "c")
	if again := idFor(secret, "a", "b", "c"); again != first {
		t.Error("an id changes")
	}
	if idFor([]byte("another secret of bytes"), "a", "b", "c") == idFor(secret, "a", "b", "c") {
		t.Error("the secret does not matter")
	}
}

// Every key that is taken survives being quoted, and none is empty or too long.
func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{`"a"`, "a", `"\"\\"`, `"a","b"`, "", "\"\x00\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		key, err := parseKey(header)
		if err != nil {
			if key != "" {
				t.Errorf("%q was refused and is %q", header, key)
			}
			return
		}
		if key == "" || len(key) > LongestKey {
			t.Errorf("%q is a key of %d", header, len(key))
		}
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
		if again, err := parseKey(quoted); err != nil || again != key {
			t.Errorf("%q quoted is %q: %v", key, again, err)
		}
	})
}
