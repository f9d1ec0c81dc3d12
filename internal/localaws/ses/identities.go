package ses

import (
	netmail "net/mail"
	"regexp"
	"strings"
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
