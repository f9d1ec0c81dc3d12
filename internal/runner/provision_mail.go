package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

// createMail makes what mail needs: identities, which are verified at once here,
// templates, configuration sets with their events, and contact lists.
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
	case samtemplate.TypeMailEvents:
		name, err = s.ensureMailEvents(ctx, r, scope)
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

// ensureMailEvents makes the destination of a configuration set's events, or brings it
// up to date. One that is no topic means nothing here.
func (s *Stack) ensureMailEvents(ctx context.Context, r *samtemplate.Resource, scope *samtemplate.Scope) (string, error) {
	var declared samtemplate.MailEvents
	if err := s.template.Decode(r, scope, &declared); err != nil {
		return "", err
	}
	wanted := declared.EventDestination
	name := cmp.Or(wanted.Name, r.ID)
	if wanted.SnsDestination == nil {
		s.config.Logger.Warn("events of mail are left out: they go to topics only here", "destination", r.ID)
		return name, nil
	}
	destination := &types.EventDestinationDefinition{Enabled: wanted.Enabled, SnsDestination: &types.SnsDestination{TopicArn: &wanted.SnsDestination.TopicARN}}
	for _, kind := range wanted.MatchingEventTypes {
		destination.MatchingEventTypes = append(destination.MatchingEventTypes, mailEvent(kind))
	}
	_, err := s.clients.ses.CreateConfigurationSetEventDestination(ctx, &sesv2.CreateConfigurationSetEventDestinationInput{
		ConfigurationSetName: &declared.ConfigurationSetName, EventDestinationName: &name, EventDestination: destination})
	var there *types.AlreadyExistsException
	if errors.As(err, &there) {
		_, err = s.clients.ses.UpdateConfigurationSetEventDestination(ctx, &sesv2.UpdateConfigurationSetEventDestinationInput{
			ConfigurationSetName: &declared.ConfigurationSetName, EventDestinationName: &name, EventDestination: destination})
	}
	return name, err
}

// mailEvent turns CloudFormation's name of a type, renderingFailure, into the API's,
// RENDERING_FAILURE.
func mailEvent(kind string) types.EventType {
	var name strings.Builder
	for _, r := range kind {
		if unicode.IsUpper(r) && name.Len() > 0 && strings.ToUpper(kind) != kind {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToUpper(r))
	}
	return types.EventType(name.String())
}
