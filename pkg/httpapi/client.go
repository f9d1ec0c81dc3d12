package httpapi

import (
	"crypto/sha256"
	"net/http"
	"regexp"
	"sync"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Everyone is the client's part of an upload's key where the API has no
// authorizer.
const Everyone = "everyone"

// plainClient is a name that can be part of a key and a URL as it is.
// It is compiled when the first named client asks, and not at start.
var plainClient = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
})

// ClientOf tells who asks, as the API's authorizer knows it: the subject of a JWT,
// the ARN of an IAM caller, the principalId that a Lambda authorizer put into its
// context. Names other than short ones of letters, digits, dots, dashes and
// underscores are replaced by a hash, so that a client can be part of a key. ok is
// false where there is an authorizer and it names nobody: such a request must be
// refused, since it would share its jobs with all others of the kind. Without an
// authorizer the client is "".
func ClientOf(r events.APIGatewayV2HTTPRequest) (client string, ok bool) {
	a := r.RequestContext.Authorizer
	if a == nil {
		return "", true
	}
	var name string
	switch {
	case a.JWT != nil:
		name = a.JWT.Claims["sub"]
	case a.IAM != nil:
		name = a.IAM.UserARN
	case a.Lambda != nil:
		name, _ = a.Lambda["principalId"].(string)
	default:
		return "", true // {} is what some gateways send for none
	}
	if name == "" {
		return "", false
	}
	if plainClient().MatchString(name) && name != Everyone {
		return name, true
	}
	sum := sha256.Sum256([]byte(name))
	return "h=" + string(job.IDOf([16]byte(sum[:16]))), true
}

func (r request) client() (string, error) {
	client, ok := ClientOf(r.APIGatewayV2HTTPRequest)
	if !ok {
		return "", newProblem(http.StatusForbidden, "no-identity", "the API's authorizer lets the request in and does not say who sent it")
	}
	return client, nil
}
