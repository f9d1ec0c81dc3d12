package ses

import (
	"net/http"
	"net/url"
	"strings"
)

// prefix begins the paths of the API.
const prefix = "/v2/email/"

var operations = map[string]func(*DB, call) (any, error){
	"SendEmail": (*DB).sendEmail, "SendBulkEmail": (*DB).sendBulk,
	"CreateEmailTemplate": (*DB).createTemplate, "GetEmailTemplate": (*DB).getTemplate, "UpdateEmailTemplate": (*DB).updateTemplate,
	"DeleteEmailTemplate": (*DB).deleteTemplate, "ListEmailTemplates": (*DB).listTemplates, "TestRenderEmailTemplate": (*DB).testRender,
	"CreateEmailIdentity": (*DB).createIdentity, "GetEmailIdentity": (*DB).getIdentity, "DeleteEmailIdentity": (*DB).deleteIdentity, "ListEmailIdentities": (*DB).listIdentities,
	"PutSuppressedDestination": (*DB).putSuppressed, "GetSuppressedDestination": (*DB).getSuppressed, "DeleteSuppressedDestination": (*DB).deleteSuppressed,
	"ListSuppressedDestinations": (*DB).listSuppressed,
	"CreateConfigurationSet":     (*DB).createSet, "GetConfigurationSet": (*DB).getSet, "DeleteConfigurationSet": (*DB).deleteSet,
	"CreateConfigurationSetEventDestination": (*DB).createDestination, "GetConfigurationSetEventDestinations": (*DB).getDestinations,
	"UpdateConfigurationSetEventDestination": (*DB).updateDestination, "DeleteConfigurationSetEventDestination": (*DB).deleteDestination,
	"CreateContactList": (*DB).createList, "GetContactList": (*DB).getList, "DeleteContactList": (*DB).deleteList, "GetContact": (*DB).getContact,
	"GetAccount": (*DB).getAccount,
}

// routes give operations by method and path; * stands for a name.
var routes = map[string]string{
	"POST outbound-emails": "SendEmail", "POST outbound-bulk-emails": "SendBulkEmail",
	"POST templates": "CreateEmailTemplate", "GET templates": "ListEmailTemplates", "GET templates/*": "GetEmailTemplate",
	"PUT templates/*": "UpdateEmailTemplate", "DELETE templates/*": "DeleteEmailTemplate", "POST templates/*/render": "TestRenderEmailTemplate",
	"POST identities": "CreateEmailIdentity", "GET identities": "ListEmailIdentities", "POST list-identities": "ListEmailIdentities", "GET identities/*": "GetEmailIdentity", "DELETE identities/*": "DeleteEmailIdentity",
	"PUT suppression/addresses": "PutSuppressedDestination", "GET suppression/addresses": "ListSuppressedDestinations",
	"GET suppression/addresses/*": "GetSuppressedDestination", "DELETE suppression/addresses/*": "DeleteSuppressedDestination",
	"POST configuration-sets": "CreateConfigurationSet", "GET configuration-sets/*": "GetConfigurationSet", "DELETE configuration-sets/*": "DeleteConfigurationSet",
	"POST configuration-sets/*/event-destinations": "CreateConfigurationSetEventDestination", "GET configuration-sets/*/event-destinations": "GetConfigurationSetEventDestinations",
	"PUT configuration-sets/*/event-destinations/*": "UpdateConfigurationSetEventDestination", "DELETE configuration-sets/*/event-destinations/*": "DeleteConfigurationSetEventDestination",
	"POST contact-lists": "CreateContactList", "GET contact-lists/*": "GetContactList", "DELETE contact-lists/*": "DeleteContactList",
	"GET contact-lists/*/contacts/*": "GetContact",
	"GET account":                    "GetAccount",
}

// literals are the path elements that are no names.
var literals = map[string]bool{
	"outbound-emails": true, "outbound-bulk-emails": true, "templates": true, "render": true, "identities": true, "suppression": true,
	"addresses": true, "configuration-sets": true, "contact-lists": true, "contacts": true, "account": true, "list-identities": true, "event-destinations": true,
}

// route gives the operation that a request calls and the names in its path, joined
// by a line break.
func route(r *http.Request) (operation, argument string) {
	parts := strings.Split(strings.TrimPrefix(strings.TrimSuffix(r.URL.EscapedPath(), "/"), prefix), "/")
	var names []string
	for i, part := range parts {
		if literals[part] && (i == 0 || parts[i-1] == "*" || parts[i-1] == "suppression") {
			continue
		}
		name, err := url.PathUnescape(part)
		if err != nil {
			name = part
		}
		names, parts[i] = append(names, name), "*"
	}
	key := r.Method + " " + strings.Join(parts, "/")
	if operation, ok := routes[key]; ok {
		return operation, strings.Join(names, "\n")
	}
	return r.Method + " " + r.URL.Path, ""
}

// Operation gives the name of the operation that a request calls, by AWS's names.
func Operation(r *http.Request) string {
	operation, _ := route(r)
	return operation
}

// Serves tells whether a path is one of this API.
func Serves(path string) bool { return strings.HasPrefix(path, prefix) }
