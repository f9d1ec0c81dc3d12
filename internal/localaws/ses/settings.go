package ses

import (
	netmail "net/mail"
	"regexp"
	"strings"
	"time"
)

var domainPattern = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]*[a-z0-9]$`)

type identityInput struct {
	EmailIdentity         string
	ConfigurationSetName  string
	DkimSigningAttributes map[string]any
	Tags                  []any
}

// identity is what is told of an address or a domain.
type identity struct {
	IdentityType             string
	VerifiedForSendingStatus bool
	VerificationStatus       string
	FeedbackForwardingStatus bool
}

func identityOf(name string) identity {
	kind := "EMAIL_ADDRESS"
	if !strings.Contains(name, "@") {
		kind = "DOMAIN"
	}
	return identity{kind, true, "SUCCESS", true}
}

// createIdentity makes an identity, verified at once.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_CreateEmailIdentity.html
func (db *DB) createIdentity(c call) (any, error) {
	var in identityInput
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	name := strings.ToLower(in.EmailIdentity)
	if _, err := netmail.ParseAddress(name); (err != nil || strings.ContainsAny(name, "<> ")) && !domainPattern.MatchString(name) {
		return nil, badRequest("%s is neither an email address nor a domain.", in.EmailIdentity)
	}
	made := identityOf(name)
	if found, err := db.get(identitiesBucket, name, &identity{}); err != nil || found {
		return nil, orExists(err, "Email identity %s already exist.", in.EmailIdentity)
	}
	return made, db.put(identitiesBucket, name, made)
}

func orExists(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return exists(format, args...)
}

func (db *DB) getIdentity(c call) (any, error) {
	var found identity
	ok, err := db.get(identitiesBucket, strings.ToLower(c.name), &found)
	if err == nil && !ok {
		err = notFound("Email identity %s does not exist.", c.name)
	}
	return found, err
}

func (db *DB) deleteIdentity(c call) (any, error) {
	return db.remove(identitiesBucket, strings.ToLower(c.name), "Email identity %s does not exist.", c.name)
}

// remove deletes, or says that it isn't there.
func (db *DB) remove(bucket []byte, name, format string, args ...any) (any, error) {
	found, err := db.delete(bucket, name)
	if err == nil && !found {
		err = notFound(format, args...)
	}
	return nil, err
}

func (db *DB) listIdentities(call) (any, error) {
	names, err := db.names(identitiesBucket)
	type listed struct {
		IdentityName, IdentityType, VerificationStatus string
		SendingEnabled                                 bool
	}
	all := []listed{}
	for _, name := range names {
		all = append(all, listed{name, identityOf(name).IdentityType, "SUCCESS", true})
	}
	return map[string]any{"EmailIdentities": all}, err
}

// verified tells whether mail may come from an address: it, its domain, or a domain
// above that is an identity.
func (db *DB) verified(address string) (bool, error) {
	address = strings.ToLower(address)
	names := []string{address}
	for domain := address[strings.LastIndex(address, "@")+1:]; strings.Contains(domain, "."); _, domain, _ = strings.Cut(domain, ".") {
		names = append(names, domain)
	}
	for _, name := range names {
		if found, err := db.get(identitiesBucket, name, &identity{}); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// suppressed is an address that nothing is sent to. Its time is in milliseconds.
type suppressed struct {
	Address string `json:"address"`
	Reason  string `json:"reason"` // BOUNCE or COMPLAINT
	At      int64  `json:"at"`
}

func (s suppressed) shown() map[string]any {
	return map[string]any{"EmailAddress": s.Address, "Reason": s.Reason, "LastUpdateTime": float64(s.At) / 1000}
}

func (db *DB) putSuppressed(c call) (any, error) {
	var in struct{ EmailAddress, Reason string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.Reason != "BOUNCE" && in.Reason != "COMPLAINT" {
		return nil, badRequest("Reason must be BOUNCE or COMPLAINT.")
	}
	if _, err := parseAddress(in.EmailAddress); err != nil {
		return nil, err
	}
	address := strings.ToLower(in.EmailAddress)
	return nil, db.put(suppressedBucket, address, suppressed{address, in.Reason, db.cfg.Now().UnixMilli()})
}

func (db *DB) getSuppressed(c call) (any, error) {
	var found suppressed
	ok, err := db.get(suppressedBucket, strings.ToLower(c.name), &found)
	if err == nil && !ok {
		err = notFound("Email address %s does not exist on your suppression list.", c.name)
	}
	return map[string]any{"SuppressedDestination": found.shown()}, err
}

func (db *DB) deleteSuppressed(c call) (any, error) {
	return db.remove(suppressedBucket, strings.ToLower(c.name), "Email address %s does not exist on your suppression list.", c.name)
}

func (db *DB) listSuppressed(call) (any, error) {
	names, err := db.names(suppressedBucket)
	all := []any{}
	for _, name := range names {
		var found suppressed
		if _, err := db.get(suppressedBucket, name, &found); err != nil {
			return nil, err
		}
		all = append(all, found.shown())
	}
	return map[string]any{"SuppressedDestinationSummaries": all}, err
}

func (db *DB) createSet(c call) (any, error) {
	var in struct {
		ConfigurationSetName                                                                                                  string
		ArchivingOptions, DeliveryOptions, ReputationOptions, SendingOptions, SuppressionOptions, TrackingOptions, VdmOptions map[string]any
		Tags                                                                                                                  []any
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, db.create(setsBucket, in.ConfigurationSetName, "Configuration set")
}

const noSet = "Configuration set <%s> does not exist."

var settingNamePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// create notes that something of a name is there.
func (db *DB) create(bucket []byte, name, kind string) error {
	if !settingNamePattern.MatchString(name) {
		return badRequest("%s: a name has letters, digits, underscores and hyphens, at most 64.", kind)
	}
	var there bool
	if found, err := db.get(bucket, name, &there); err != nil || found {
		return orExists(err, "%s %s already exists.", kind, name)
	}
	return db.put(bucket, name, true)
}

func (db *DB) getSet(c call) (any, error) {
	return map[string]any{"ConfigurationSetName": c.name}, db.mustHave(setsBucket, c.name, noSet)
}

func (db *DB) mustHave(bucket []byte, name, format string) error {
	var there bool
	found, err := db.get(bucket, name, &there)
	if err == nil && !found {
		err = notFound(format, name)
	}
	return err
}

// deleteSet takes its event destinations along.
func (db *DB) deleteSet(c call) (any, error) {
	all, err := db.destinations(c.name)
	for _, d := range all {
		if err == nil {
			_, err = db.delete(destinationsBucket, destinationKey(c.name, d.Name))
		}
	}
	if err != nil {
		return nil, err
	}
	return db.remove(setsBucket, c.name, noSet, c.name)
}

// getAccount tells the quotas, which nobody enforces here.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html
func (db *DB) getAccount(call) (any, error) {
	since := db.cfg.Now().Add(-24 * time.Hour).UnixMilli()
	sent := 0
	err := db.latest(func(m mail) bool {
		if m.At >= since {
			sent += len(m.Outcomes)
		}
		return m.At >= since
	})
	return map[string]any{
		"DedicatedIpAutoWarmupEnabled": false, "EnforcementStatus": "HEALTHY", "ProductionAccessEnabled": true, "SendingEnabled": true,
		"SendQuota":             map[string]any{"Max24HourSend": 50000, "MaxSendRate": 14, "SentLast24Hours": sent},
		"SuppressionAttributes": map[string]any{"SuppressedReasons": []string{"BOUNCE", "COMPLAINT"}},
	}, err
}
