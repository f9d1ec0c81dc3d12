package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

// createMail makes what mail needs: identities, which are verified at once here,
// templates, configuration sets and contact lists.
func (s *Stack) createMail(ctx context.Context, r *samtemplate.Resource, scope *samtemplate.Scope) error {
	var name string
	var err error
	switch r.Type {
	case samtemplate.TypeEmailIdentity:
		var declared samtemplate.EmailIdentity
		if err := s.template.Decode(r, scope, &declared); err != nil {
			return err
		}
		name = declared.EmailIdentity
		_, err = s.clients.ses.CreateEmailIdentity(ctx, &sesv2.CreateEmailIdentityInput{EmailIdentity: &name})
	case samtemplate.TypeConfigurationSet:
		var declared samtemplate.ConfigurationSet
		if err := s.template.Decode(r, scope, &declared); err != nil {
			return err
		}
		name = cmp.Or(declared.Name, r.ID)
		_, err = s.clients.ses.CreateConfigurationSet(ctx, &sesv2.CreateConfigurationSetInput{ConfigurationSetName: &name})
	case samtemplate.TypeContactList:
		var declared samtemplate.ContactList
		if err := s.template.Decode(r, scope, &declared); err != nil {
			return err
		}
		name = cmp.Or(declared.ContactListName, r.ID)
		_, err = s.clients.ses.CreateContactList(ctx, &sesv2.CreateContactListInput{ContactListName: &name})
	case samtemplate.TypeEmailTemplate:
		name, err = s.ensureMailTemplate(ctx, r, scope)
	}
	var there *types.AlreadyExistsException
	if err != nil && !errors.As(err, &there) {
		return fmt.Errorf("creating %s: %w", name, err)
	}
	scope.Set(r.ID, "Ref", name)
	scope.Set(r.ID, "Id", name)
	return nil
}

// ensureMailTemplate makes a template of mail, or brings it up to date.
func (s *Stack) ensureMailTemplate(ctx context.Context, r *samtemplate.Resource, scope *samtemplate.Scope) (string, error) {
	var declared samtemplate.EmailTemplate
	if err := s.template.Decode(r, scope, &declared); err != nil {
		return "", err
	}
	name := cmp.Or(declared.Template.TemplateName, r.ID)
	content := &types.EmailTemplateContent{Subject: &declared.Template.SubjectPart}
	if text := declared.Template.TextPart; text != "" {
		content.Text = aws.String(text)
	}
	if html := declared.Template.HtmlPart; html != "" {
		content.Html = aws.String(html)
	}
	_, err := s.clients.ses.CreateEmailTemplate(ctx, &sesv2.CreateEmailTemplateInput{TemplateName: &name, TemplateContent: content})
	var there *types.AlreadyExistsException
	if errors.As(err, &there) {
		_, err = s.clients.ses.UpdateEmailTemplate(ctx, &sesv2.UpdateEmailTemplateInput{TemplateName: &name, TemplateContent: content})
	}
	return name, err
}
