package mail

import (
	"fmt"
	"strings"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
)

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

// Address gives an address if it is one alone, as readers.Address has it: no name
// beside it, no list, nothing that could end a header. It may have been kept before
// it was checked like this.
func Address(text string) (string, error) {
	if _, err := readers.Address(text); err != nil {
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
