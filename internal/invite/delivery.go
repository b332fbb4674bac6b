package invite

import (
	"bytes"
	"context"
	"errors"
	html "html/template"
	"io"
	"text/template"

	"octavo/ent"
	entinvite "octavo/ent/invite"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/mail"
)

// Delivery is an invite that waits to be sent by e-mail.
type Delivery struct {
	InviteID string
	// Sealed is the secret, which the database has nowhere else.
	Sealed []byte
}

// delivery is where a new invite to an e-mail address stands.
func (s *Service) delivery() *enum.InviteDelivery {
	if s.Mail == nil {
		return nil
	}
	return new(enum.DeliveryWaiting)
}

// post hands a new invite to the queue, in the transaction in progress, and
// forgets its secret: from then on only the message has it.
func (s *Service) post(ctx context.Context, made *Invite) error {
	if made.Delivery == nil {
		return nil
	}
	delivery := Delivery{InviteID: made.ID, Sealed: s.Box.Seal(made.Secret)}
	made.Secret = ""
	return s.Post(ctx, delivery)
}

// Deliver sends an invite by e-mail, once. It sends nothing, which is no error,
// when the invite was revoked, has ended or was sent. It returns a
// *mail.Refusal when the mail server will never take the message.
func (s *Service) Deliver(ctx context.Context, delivery Delivery) error {
	ctx = access.System(ctx, "the queue sends what an administrator has asked for")
	row, err := s.database.Client(ctx).Invite.Query().Where(entinvite.ID(delivery.InviteID)).WithCreator().Only(ctx)
	if ent.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if row.RevokedAt != nil || ended(row) || *row.Delivery != enum.DeliveryWaiting {
		return nil
	}
	if s.Mail == nil {
		return errors.New("no mail server is configured to send the invite")
	}
	message, err := s.message(ctx, row, delivery.Sealed)
	if err != nil {
		return err
	}
	return s.deliver(ctx, row, message)
}

// deliver sends a message and keeps how that went. A refusal stays an error.
func (s *Service) deliver(ctx context.Context, row *ent.Invite, message mail.Message) error {
	stage, sending := enum.DeliverySent, s.Mail.Send(ctx, message)
	if sending != nil {
		if _, refused := errors.AsType[*mail.Refusal](sending); !refused {
			return sending
		}
		stage = enum.DeliveryRefused
	}
	// The message is out: what ends the job now would have it sent again.
	ctx = context.WithoutCancel(ctx)
	return errors.Join(sending, s.database.Client(ctx).Invite.UpdateOneID(row.ID).SetDelivery(stage).Exec(ctx))
}

// letter is what a message says.
type letter struct {
	Title, Inviter, Role, URL string
	// Ends is empty for an invite that never does.
	Ends string
}

// message writes the message that carries the secret of an invite.
func (s *Service) message(ctx context.Context, row *ent.Invite, sealed []byte) (mail.Message, error) {
	secret, err := s.Box.Open(sealed)
	if err != nil {
		return mail.Message{}, err
	}
	owner, err := s.database.Client(ctx).Organization.Get(ctx, row.OrganizationID)
	if err != nil {
		return mail.Message{}, err
	}
	letter := letter{
		Title: mail.OneLine(owner.Title), Inviter: mail.OneLine(row.Edges.Creator.DisplayName), URL: s.Addresses.Invite(secret),
	}
	if row.Role != access.None {
		letter.Role = row.Role.String()
	}
	if row.ExpiresAt != nil {
		letter.Ends = row.ExpiresAt.UTC().Format("2 January 2006, 15:04 UTC")
	}
	message := mail.Message{ID: row.ID, To: *row.Email, Subject: "You are invited to " + letter.Title}
	if message.Text, err = written(letterText, letter); err != nil {
		return mail.Message{}, err
	}
	message.HTML, err = written(letterHTML, letter)
	return message, err
}

func written(form interface{ Execute(io.Writer, any) error }, letter letter) (string, error) {
	var out bytes.Buffer
	err := form.Execute(&out, letter)
	return out.String(), err
}

var letterText = template.Must(template.New("text").Parse(`{{.Inviter}} invites you to {{.Title}}{{with .Role}}, with the role {{.}}{{end}}.

How to accept:
{{.URL}}
{{with .Ends}}
The invite ends on {{.}}.
{{end}}
The link is for you alone: do not pass this message on. If you do not expect an
invite, ignore it; nothing happens then.
`))

var letterHTML = html.Must(html.New("html").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>You are invited to {{.Title}}</title></head>
<body>
<p>{{.Inviter}} invites you to <strong>{{.Title}}</strong>{{with .Role}}, with the role {{.}}{{end}}.</p>
<p><a href="{{.URL}}">How to accept</a></p>
{{with .Ends}}<p>The invite ends on {{.}}.</p>
{{end}}<p>The link is for you alone: do not pass this message on. If you do not expect an invite, ignore it; nothing happens then.</p>
</body>
</html>
`))
