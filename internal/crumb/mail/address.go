package mail

import (
	"fmt"
	netmail "net/mail"
	"strings"
)

// longestAddress is the most bytes of an address.
// https://www.rfc-editor.org/errata/eid1690
const longestAddress = 254

// longestValue is the most bytes that SES takes as the value of a header.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageHeader.html
const longestValue = 870

// A BadAddress error is about one recipient: no other mail is the worse for it.
type BadAddress struct{ Address string }

// Error says what is wrong with the address.
func (e *BadAddress) Error() string {
	return fmt.Sprintf("mail: %.80q is no address that mail can be sent to: one bare address in ASCII (a domain with other letters in its xn-- form)", e.Address)
}

// ErrorCode is the code of the job's error.
func (e *BadAddress) ErrorCode() string { return "bad-address" }

// Address gives an address if it is one alone: no name beside it, no list, nothing
// that could end a header. SES takes ASCII only.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_Destination.html
func Address(text string) (string, error) {
	parsed, err := netmail.ParseAddress(text)
	if err != nil || len(text) > longestAddress || parsed.Address != text || !printable(text) {
		return "", &BadAddress{text}
	}
	return text, nil
}

// checkHeader refuses what can't be one line of a header.
func checkHeader(name, value string) error {
	if name == "" || !printable(name) || strings.ContainsAny(name, ": ") || value == "" || !printable(value) || len(value) > longestValue {
		return fmt.Errorf("mail: the header %.80q: %.80q is not printable ASCII of at most %d bytes", name, value, longestValue)
	}
	return nil
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
