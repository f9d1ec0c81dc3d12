package signing_test

import (
	"errors"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/signing"
)

const secret = "0123456789abcdef0123456789abcdef"

func key(t *testing.T, secret, end string) signing.Key {
	t.Helper()
	k, err := signing.New([]byte(secret), end)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestASignatureIsGoodForOneThing(t *testing.T) {
	links := key(t, secret, "links")
	signed := links.Sign("export 17")
	if !links.Good("export 17", signed) {
		t.Error("its own signature is not good")
	}
	for name, good := range map[string]bool{
		"another text":   links.Good("export 18", signed),
		"another end":    key(t, secret, "cookies").Good("export 17", signed),
		"another secret": key(t, secret+"x", "links").Good("export 17", signed),
		"a line end":     links.Good("export 17", signed+"\n"),
		"none":           links.Good("export 17", ""),
	} {
		if good {
			t.Errorf("%s: the signature is good", name)
		}
	}
}

func TestAShortSecretIsRefused(t *testing.T) {
	if _, err := signing.New([]byte(secret[1:]), "links"); !errors.Is(err, signing.ErrShort) {
		t.Errorf("31 bytes: %v", err)
	}
}
