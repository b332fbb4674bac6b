package job

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"octavo/internal/event"
	"octavo/internal/invite"
	"octavo/internal/transfer"
)

// contentGrace is how old content and files must be before they are collected.
// What is younger is likely to be used again, or about to be.
const contentGrace = 24 * time.Hour

// deliveryAttempts are spread over ten days, longer than an invite is open that
// nobody prolongs.
const deliveryAttempts = 22

// The kinds of jobs, with what they are asked to do.
type (
	purgeSpaces    struct{}
	purgeEvents    struct{}
	collectContent struct{}
	collectFiles   struct{}
	gitTransfer    struct {
		Run transfer.Run `json:"run"`
	}
	inviteMail struct {
		Delivery invite.Delivery `json:"delivery"`
	}
)

// Kind implements river.JobArgs.
func (purgeSpaces) Kind() string { return "purge_spaces" }

// Kind implements river.JobArgs.
func (purgeEvents) Kind() string { return "purge_events" }

// Kind implements river.JobArgs.
func (collectContent) Kind() string { return "collect_content" }

// Kind implements river.JobArgs.
func (collectFiles) Kind() string { return "collect_files" }

// Kind implements river.JobArgs.
func (gitTransfer) Kind() string { return "git_transfer" }

// Kind implements river.JobArgs.
func (inviteMail) Kind() string { return "invite_mail" }

// once keeps a second job of a kind out of the queue while one waits or runs.
func once() *river.InsertOpts {
	return &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
		rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}}}
}

// housekeeping is what is done at the start and regularly, by one of the
// processes.
func housekeeping() []*river.PeriodicJob {
	every := func(interval time.Duration, arguments river.JobArgs) *river.PeriodicJob {
		return river.NewPeriodicJob(river.PeriodicInterval(interval),
			func() (river.JobArgs, *river.InsertOpts) { return arguments, once() },
			&river.PeriodicJobOpts{ID: arguments.Kind(), RunOnStart: true})
	}
	return []*river.PeriodicJob{
		every(housekeepingInterval, purgeSpaces{}), every(housekeepingInterval, purgeEvents{}), every(filesInterval, collectFiles{}),
	}
}

// Transfer asks for an import or export, in the transaction in progress.
func (q *Queue) Transfer(ctx context.Context, run transfer.Run) error {
	return q.put(ctx, gitTransfer{Run: run}, nil)
}

func (q *Queue) transfer(ctx context.Context, job *river.Job[gitTransfer]) error {
	return q.work.Transfer(ctx, job.Args.Run)
}

// Deliver asks for an invite to be sent by e-mail, in the transaction in
// progress.
func (q *Queue) Deliver(ctx context.Context, delivery invite.Delivery) error {
	return q.put(ctx, inviteMail{Delivery: delivery}, &river.InsertOpts{Queue: messages, MaxAttempts: deliveryAttempts})
}

func (q *Queue) deliver(ctx context.Context, job *river.Job[inviteMail]) error {
	return q.work.Deliver(ctx, job.Args.Delivery)
}

// purgeSpaces has the content collected of what it removed: nothing else takes
// revisions away.
func (q *Queue) purgeSpaces(ctx context.Context, _ *river.Job[purgeSpaces]) error {
	purged, err := q.work.PurgeSpaces(ctx, time.Now())
	if purged == 0 {
		return err
	}
	q.logger.InfoContext(ctx, "purged deleted spaces", "count", purged)
	if err != nil {
		return err
	}
	return q.database.Write(ctx, func(ctx context.Context) error { return q.put(ctx, collectContent{}, once()) })
}

func (q *Queue) purgeEvents(ctx context.Context, _ *river.Job[purgeEvents]) error {
	_, err := q.work.PurgeEvents(ctx, time.Now().Add(-event.Retention))
	return err
}

func (q *Queue) collectContent(ctx context.Context, _ *river.Job[collectContent]) error {
	removed, err := q.work.CollectContent(ctx, time.Now().Add(-contentGrace))
	if removed > 0 {
		q.logger.InfoContext(ctx, "removed content that nothing reaches", "objects", removed)
	}
	return err
}

func (q *Queue) collectFiles(ctx context.Context, _ *river.Job[collectFiles]) error {
	removed, err := q.work.CollectFiles(ctx, time.Now().Add(-contentGrace))
	if removed > 0 {
		q.logger.InfoContext(ctx, "removed files that no content names", "files", removed)
	}
	return err
}
