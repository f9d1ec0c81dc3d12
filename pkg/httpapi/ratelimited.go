package httpapi

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/limit"
)

// limitPatience is for how long the table is asked; no answer by then counts as none.
const limitPatience = time.Second

// A HandlerFunc answers a request of an HTTP API, payload format 2.0.
type HandlerFunc = func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// Handler puts the limit before any handler.
func (l *RateLimit) Handler(h HandlerFunc) HandlerFunc {
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (response, error) {
		t := l.take(ctx, event)
		if t.refused() {
			return t.mark(t.problem().response(request{event})), nil
		}
		answer, err := h(ctx, event)
		return t.mark(answer), err
	}
}

// before has an endpoint serve a request within the limit. again answers a request that
// was answered before and is sent again, which is let in however many there are; nil
// where there is no such thing.
func (l *RateLimit) before(ctx context.Context, event events.APIGatewayV2HTTPRequest, e endpoint, serve func(context.Context, request) (response, error), again func(context.Context, request) (response, bool, error)) (response, error) {
	if l == nil {
		return e.answer(ctx, event, serve)
	}
	t := l.take(ctx, event)
	if t.refused() {
		serve = func(ctx context.Context, r request) (response, error) {
			if again != nil {
				if answer, ok, err := again(ctx, r); ok || err != nil {
					return answer, err
				}
			}
			return response{}, t.problem()
		}
	}
	answer, err := e.answer(ctx, event, serve)
	return t.mark(answer), err
}

// A turn is what a request was told of its client's rate.
type turn struct {
	policy   string
	bucket   *limit.Bucket // nil where nothing is known
	decision limit.Decision
}

// take takes one request from what its client may send.
func (l *RateLimit) take(ctx context.Context, event events.APIGatewayV2HTTPRequest) turn {
	t, key := turn{policy: "client", bucket: l.clients}, l.config.Client(event)
	if key == "" {
		address, loopback := Network(l.config.Address(event))
		if loopback && !l.config.CountLoopback {
			return turn{}
		}
		t, key = turn{policy: "address", bucket: l.addresses}, address
	}
	var err error
	// A table that keeps requests waiting would be worse than no limit.
	soon, cancel := context.WithTimeout(ctx, limitPatience)
	defer cancel()
	if t.decision, err = t.bucket.Take(soon, key); err != nil {
		l.config.Logger.WarnContext(ctx, "a request was let in without looking at its client's rate",
			"request_id", event.RequestContext.RequestID, "error", err.Error())
		return turn{}
	}
	return t
}

// Network is what a client is known by that has no name: its IPv4 address, or the /64
// of its IPv6 address, in which a single customer has all of the addresses. What can't
// be read is "unknown". loopback tells that it is the machine itself.
func Network(address string) (key string, loopback bool) {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return "unknown", false
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() && !ip.IsLoopback() {
		return netip.PrefixFrom(ip, 64).Masked().String(), false
	}
	return ip.String(), ip.IsLoopback()
}

func (t turn) refused() bool { return t.bucket != nil && !t.decision.Granted }

func (t turn) problem() *problem {
	return newProblem(http.StatusTooManyRequests, "rate-limited", "you send more requests than are taken; nothing was stored; try again later").
		retryAfter(t.decision.RetryAfter)
}

// mark adds how the client stands: q requests may come at once and as many in w
// seconds, r of them are left, and in t seconds there is one more. Both fields are
// lists of structured fields (RFC 9651).
func (t turn) mark(answer response) response {
	if t.bucket == nil {
		return answer
	}
	headers := map[string]string{}
	maps.Copy(headers, answer.Headers)
	whole := func(d time.Duration) string { return strconv.FormatInt(int64(math.Ceil(d.Seconds())), 10) }
	headers["RateLimit-Policy"] = fmt.Sprintf("%q;q=%d;w=%s", t.policy, t.bucket.Burst(), whole(t.bucket.Window()))
	headers["RateLimit"] = fmt.Sprintf("%q;r=%d;t=%s", t.policy, t.decision.Remaining, whole(t.decision.Next))
	answer.Headers = headers
	return answer
}
