package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

// A function is a declared function and its pool of processes.
type function struct {
	program // whose Folder is the last element of its CodeUri

	name, arn string
	settings  samtemplate.Function
	*lambdaruntime.Function
}

// provision creates what the template declares and the endpoint lacks. What is
// there already keeps its data; its settings are brought up to date.
func (s *Stack) provision(ctx context.Context) (*samtemplate.Scope, error) {
	scope := &samtemplate.Scope{
		Region: s.config.Region, AccountID: accountID, StackName: "nightshift", Parameters: s.config.Parameters,
	}
	secrets := map[string]string{}
	scope.Secret = func(arn string) (string, error) {
		if text, ok := secrets[arn]; ok {
			return text, nil
		}
		return "", errors.New("the template declares no such secret")
	}
	for _, r := range s.template.Resources {
		if active, err := s.template.Active(r, scope); err != nil {
			return nil, err
		} else if !active {
			continue
		}
		if err := s.create(ctx, r, scope, secrets); err != nil {
			return nil, fmt.Errorf("%s %s (line %d): %w", r.Type, r.ID, r.Line, err)
		}
	}
	return scope, s.dropSubscriptions(ctx)
}

// create brings one resource into being and its attributes into the scope.
func (s *Stack) create(ctx context.Context, r *samtemplate.Resource, scope *samtemplate.Scope, secrets map[string]string) error {
	switch r.Type {
	case samtemplate.TypeQueue:
		return s.createQueue(ctx, r, scope)
	case samtemplate.TypeTable:
		return s.createTable(ctx, r, scope)
	case samtemplate.TypeBucket:
		return s.createBucket(ctx, r, scope)
	case samtemplate.TypeSecret:
		return s.createSecret(r, scope, secrets)
	case samtemplate.TypeTopic:
		return s.createTopic(ctx, r, scope)
	case samtemplate.TypeSubscription:
		return s.createSubscription(ctx, r, scope)
	case samtemplate.TypeEmailIdentity, samtemplate.TypeEmailTemplate, samtemplate.TypeConfigurationSet, samtemplate.TypeContactList, samtemplate.TypeMailEvents:
		return s.createMail(ctx, r, scope)
	case samtemplate.TypeFunction:
		return s.declareFunction(r, scope)
	case samtemplate.TypeTaskDefinition:
		return s.declareTask(r, scope)
	case samtemplate.TypeService:
		return s.declareService(r, scope)
	case samtemplate.TypeHTTPAPI, samtemplate.TypeAPI:
		scope.Set(r.ID, "Ref", strings.ToLower(r.ID))
		scope.Set(r.ID, "ApiId", strings.ToLower(r.ID))
		scope.Set(r.ID, "ApiEndpoint", s.httpURL)
	case samtemplate.TypeMapping:
		scope.Set(r.ID, "Ref", mappingUUID(r.ID))
		scope.Set(r.ID, "Id", mappingUUID(r.ID))
	default: // routes, integrations, schedules: see wire
		scope.Set(r.ID, "Ref", r.ID)
	}
	return nil
}

func (s *Stack) createSecret(r *samtemplate.Resource, scope *samtemplate.Scope, secrets map[string]string) error {
	var secret samtemplate.Secret
	if err := s.template.Decode(r, scope, &secret); err != nil {
		return err
	}
	length := 32
	if g := secret.GenerateSecretString; g != nil {
		length = cmp.Or(g.PasswordLength, length)
	}
	text, err := s.folder.secret(r.ID, secret.SecretString, length)
	if err != nil {
		return err
	}
	name := cmp.Or(secret.Name, r.ID)
	arn := fmt.Sprintf("arn:aws:secretsmanager:%s:%s:secret:%s-local1", s.config.Region, accountID, name)
	secrets[arn], secrets[name] = text, text
	scope.Set(r.ID, "Ref", arn)
	scope.Set(r.ID, "Id", arn)
	return nil
}

func (s *Stack) declareFunction(r *samtemplate.Resource, scope *samtemplate.Scope) error {
	f := &function{program: program{ID: r.ID}}
	if err := s.template.Decode(r, scope, &f.settings); err != nil {
		return err
	}
	f.Folder = path.Base(strings.TrimRight(f.settings.CodeURI, "/"))
	if f.settings.CodeURI == "" || f.Folder == "." || f.Folder == ".." {
		return fmt.Errorf("its CodeUri %q does not end with the name of a folder in functions", f.settings.CodeURI)
	}
	if f.settings.Runtime != "" && !strings.HasPrefix(f.settings.Runtime, "provided.") {
		return fmt.Errorf("the runtime %s cannot be run here, only provided.al2023", f.settings.Runtime)
	}
	f.name = cmp.Or(f.settings.FunctionName, r.ID)
	f.arn = fmt.Sprintf("arn:aws:lambda:%s:%s:function:%s", s.config.Region, accountID, f.name)
	var err error
	if f.bootstrap, err = s.bootstrapPath(f.Folder); err != nil {
		return err
	}
	s.functions = append(s.functions, f)
	scope.Set(r.ID, "Ref", f.name)
	scope.Set(r.ID, "Arn", f.arn)
	return nil
}

// function finds a function by logical id, folder, name or ARN (also with a
// qualifier $LATEST), or gives nil.
func (s *Stack) function(name string) *function {
	name = strings.TrimSuffix(name, ":$LATEST")
	for _, f := range s.functions {
		if name == f.ID || name == f.Folder || name == f.name || name == f.arn {
			return f
		}
	}
	return nil
}
