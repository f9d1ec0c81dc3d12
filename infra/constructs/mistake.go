package constructs

import "fmt"

// A Mistake says which construct was given settings that cannot work, and why.
// Constructs panic with it, because a CDK constructor has no error to return;
// an app's main may recover it to print the message alone.
type Mistake struct {
	// Construct is the id of the construct.
	Construct string
	// Problem is what is wrong and how to mend it.
	Problem string
}

func (m Mistake) Error() string {
	return fmt.Sprintf("constructs: %s: %s", m.Construct, m.Problem)
}

func refuse(construct, format string, args ...any) {
	panic(Mistake{construct, fmt.Sprintf(format, args...)})
}
