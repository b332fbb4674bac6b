package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"octavo/graph/model"
	"octavo/internal/changerequest"
	"octavo/internal/comment"
	"octavo/internal/loader"
	"octavo/internal/pagination"
)

// commentPath leads to a comment in the REST API.
func commentPath(of *comment.Comment) []string {
	if of.ChangeRequestID != nil {
		return []string{"spaces", of.SpaceID, "change-requests", *of.ChangeRequestID, "comments", of.ID}
	}
	return []string{"spaces", of.SpaceID, "comments", of.ID}
}

func commentText(input *model.CommentBodyInput) comment.Text {
	return comment.Text{Markdown: input.Markdown.Value(), Document: input.Document.Value()}
}

func changedText(field graphql.Omittable[*model.CommentBodyInput]) *comment.Text {
	input := field.Value()
	if input == nil {
		return nil
	}
	text := commentText(input)
	return &text
}

func tableCell(field graphql.Omittable[*model.CommentTableCellInput]) *comment.TableCell {
	input := field.Value()
	if input == nil {
		return nil
	}
	return &comment.TableCell{Record: input.Record, Definition: input.Definition}
}

func commentFilter(input *model.CommentFilter) comment.Filter {
	if input == nil {
		return comment.Filter{}
	}
	return comment.Filter{Status: valueOf(input.Status), TargetPage: input.TargetPage.Value(), Authors: input.Authors.Value()}
}

// comments loads the page of comments that a listing asks for.
func comments(ctx context.Context, listing comment.Listing, err error) (*model.CommentConnection, error) {
	if err != nil {
		return nil, err
	}
	page, err := loader.From(ctx).Comments.Load(ctx, listing)
	if err != nil {
		return nil, err
	}
	return model.NewCommentConnection(page), nil
}

// commenters loads the page of the members who commented.
func commenters(ctx context.Context, asked comment.Commenters, window pagination.Arguments) (*model.MemberConnection, error) {
	members, err := loader.From(ctx).Commenters.Load(ctx, asked)
	if err != nil {
		return nil, err
	}
	page, err := comment.PageOfCommenters(members, window)
	if err != nil {
		return nil, err
	}
	loader.From(ctx).MetMembers(page.Items...)
	return model.NewMemberConnection(page), nil
}

// commentOfReview posts the comment that comes with a review; nil for none or
// an empty one.
func (r *Resolver) commentOfReview(input *model.CommentBodyInput) func(ctx context.Context, on *changerequest.ChangeRequest, reviewID string) error {
	if input == nil || input.Markdown.Value() == nil && len(input.Document.Value()) == 0 {
		return nil
	}
	return func(ctx context.Context, on *changerequest.ChangeRequest, reviewID string) error {
		_, err := r.Comments.Post(ctx, comment.New{
			SpaceID: on.SpaceID, ChangeRequest: &on.ID, ReviewID: &reviewID, Text: commentText(input),
		})
		return err
	}
}
