package readers_test

import (
	"errors"
	"net/mail"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
)

func TestAddresses(t *testing.T) {
	long := strings.Repeat("a", 64)
	for text, want := range map[string]string{
		"ada@example.com":                         "ada@example.com",
		"Ada.Lovelace+soup@Example.COM":           "ada.lovelace+soup@example.com",
		"o'neil@kitchen.example":                  "o'neil@kitchen.example",
		long + "@example.com":                     long + "@example.com",
		long + "a@example.com":                    "",
		"a@" + strings.Repeat("abc.", 63) + "com": "",
		"":                                "",
		"ada":                             "",
		"@example.com":                    "",
		"ada@":                            "",
		"ada@localhost":                   "",
		"ada@example..com":                "",
		"ada@-example.com":                "",
		"ada@exa_mple.com":                "",
		"ada@127.0.0.1":                   "",
		"ada@[127.0.0.1]":                 "",
		"Ada <ada@example.com>":           "",
		"<ada@example.com>":               "",
		" ada@example.com":                "",
		"ada@example.com ":                "",
		"ada@example.com\r\nBcc: b@x.de":  "",
		"ada\x00@example.com":             "",
		`"ada lovelace"@example.com`:      "",
		"ada@exam ple.com":                "",
		"ada@example.com,bob@example.com": "",
		"ada(comment)@example.com":        "",
		"ädä@example.com":                 "",
		"ada@exämple.com":                 "",
		"ada@@example.com":                "",
		".ada@example.com":                "",
		"ada.@example.com":                "",
	} {
		got, err := readers.Address(text)
		var bad *readers.BadInput
		if got != want || (want == "") != errors.As(err, &bad) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// Whatever passes is one address, as itself, in small letters.
func FuzzAddress(f *testing.F) {
	f.Add("ada@example.com")
	f.Add(`"a@b"@example.com`)
	f.Fuzz(func(t *testing.T, text string) {
		address, err := readers.Address(text)
		if err != nil {
			return
		}
		parsed, err := mail.ParseAddress("Ada <" + text + ">")
		if err != nil || parsed.Address != text || address != strings.ToLower(text) || strings.ContainsAny(address, "\r\n\t <>,;:\"") {
			t.Errorf("%q passed as %q (%v)", text, address, err)
		}
		if again, err := readers.Address(address); again != address {
			t.Errorf("%q is %q the second time (%v)", address, again, err)
		}
	})
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		" Ada ":                 "Ada",
		"李小龍":                   "李小龍",
		strings.Repeat("é", 60): strings.Repeat("é", 60),
		strings.Repeat("é", 61): "",
		"":                      "",
		" \t ":                  "",
		"Ada\r\nBcc: eve@x.de":  "",
		"Ada\u202egnp.exe":      "",
		"Ada\x00":               "",
		"Ada\xff":               "",
		"Ada\u2028Lovelace":     "",
		"Ada 👩‍🍳":               "Ada 👩‍🍳",
	} {
		if got, err := readers.Name(text); got != want || (err == nil) == (want == "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
