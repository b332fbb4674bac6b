// Package job does the work behind requests: a durable queue in the database
// of the content. A job is put into the queue in the transaction that asks for
// it, is done at least once, and is tried again with growing pauses when it
// fails.
package job

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"entgo.io/ent/dialect"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"octavo/internal/database"
	"octavo/internal/invite"
	"octavo/internal/mail"
	"octavo/internal/transfer"
)

const (
	// workers is how many jobs one process does at a time.
	workers = 4
	// messages is the queue of what is sent, so that a mail server that does not
	// answer holds up nothing else, and messengers how many one process sends at
	// a time.
	messages   = "messages"
	messengers = 2
	// pollInterval is how soon a new job is noticed.
	pollInterval = time.Second
	// timeLimit is how long one attempt may take.
	timeLimit = 30 * time.Minute
	// attempts that a job gets; the pauses between them are about 1 s, 16 s,
	// 81 s and 256 s.
	attempts = 5
	// housekeepingInterval is how often what is past its time is removed.
	housekeepingInterval = time.Hour
	// filesInterval is how often the bucket is searched, which takes a while.
	filesInterval = 24 * time.Hour
)

// Work is what the jobs do.
type Work struct {
	// PurgeSpaces removes the spaces whose time to be restored is over.
	PurgeSpaces func(ctx context.Context, at time.Time) (purged int, err error)
	// PurgeEvents removes the events from before a time.
	PurgeEvents func(ctx context.Context, before time.Time) (purged int, err error)
	// CollectContent removes the content from before a time that nothing
	// reaches.
	CollectContent func(ctx context.Context, before time.Time) (removed int, err error)
	// CollectFiles removes the files from before a time that no content names.
	CollectFiles func(ctx context.Context, before time.Time) (removed int, err error)
	// Transfer imports from or exports to a git repository.
	Transfer func(ctx context.Context, run transfer.Run) error
	// Deliver sends an invite by e-mail. It is not tried again after a
	// *mail.Refusal.
	Deliver func(ctx context.Context, delivery invite.Delivery) error
}

// Queue holds and does jobs. It is safe for concurrent use.
type Queue struct {
	database *database.Database
	logger   *slog.Logger
	work     Work
	client   *river.Client[*sql.Tx]

	mutex   sync.Mutex
	running bool
}

// New returns the queue of a database whose tables Migrate has made. It does
// jobs once it is started; others can be put into it before.
func New(opened *database.Database, logger *slog.Logger, work Work) (*Queue, error) {
	queue := &Queue{database: opened, logger: logger, work: work}
	known := river.NewWorkers()
	river.AddWorker(known, river.WorkFunc(queue.purgeSpaces))
	river.AddWorker(known, river.WorkFunc(queue.purgeEvents))
	river.AddWorker(known, river.WorkFunc(queue.collectContent))
	river.AddWorker(known, river.WorkFunc(queue.collectFiles))
	river.AddWorker(known, river.WorkFunc(queue.transfer))
	river.AddWorker(known, river.WorkFunc(queue.deliver))
	client, err := river.NewClient(driverOf(opened), &river.Config{
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}, messages: {MaxWorkers: messengers}},
		Workers: known, PeriodicJobs: housekeeping(), PollOnly: true, FetchPollInterval: pollInterval,
		JobTimeout: timeLimit, MaxAttempts: attempts, Logger: slog.New(warnings{logger.Handler()}), ErrorHandler: failures{logger},
	})
	if err != nil {
		return nil, fmt.Errorf("open the queue of jobs: %w", err)
	}
	queue.client = client
	return queue, nil
}

func driverOf(opened *database.Database) riverdriver.Driver[*sql.Tx] {
	if opened.Dialect == dialect.Postgres {
		return riverdatabasesql.New(opened.Pool())
	}
	return riversqlite.New(opened.Pool())
}

// Step is a step of the schema of the queue.
type Step struct {
	Name    string
	Applied bool
}

// Steps lists the steps of the schema of the queue, in their order.
func Steps(ctx context.Context, opened *database.Database, logger *slog.Logger) ([]Step, error) {
	migrator, err := migratorOf(opened, logger)
	if err != nil {
		return nil, err
	}
	existing, err := migrator.ExistingVersions(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the schema of the queue of jobs: %w", err)
	}
	var steps []Step
	for _, known := range migrator.AllVersions() {
		applied := slices.ContainsFunc(existing, func(one rivermigrate.Migration) bool { return one.Version == known.Version })
		steps = append(steps, Step{Name: stepName(known), Applied: applied})
	}
	return steps, nil
}

func stepName(step rivermigrate.Migration) string {
	return fmt.Sprintf("queue %03d %s", step.Version, step.Name)
}

// Migrate brings the tables of the queue up to date and returns the names of
// the steps that were missing. Of several programs that do it at once one does,
// and the others wait for it.
func Migrate(ctx context.Context, opened *database.Database, logger *slog.Logger) (applied []string, err error) {
	migrator, err := migratorOf(opened, logger)
	if err != nil {
		return nil, err
	}
	for {
		step, err := migrateOne(ctx, opened, migrator)
		if err != nil {
			return applied, fmt.Errorf("migrate the queue of jobs: %w", err)
		}
		if step == "" {
			return applied, nil
		}
		applied = append(applied, step)
	}
}

func migratorOf(opened *database.Database, logger *slog.Logger) (*rivermigrate.Migrator[*sql.Tx], error) {
	migrator, err := rivermigrate.New(driverOf(opened), &rivermigrate.Config{Logger: slog.New(warnings{logger.Handler()})})
	if err != nil {
		return nil, fmt.Errorf("migrate the queue of jobs: %w", err)
	}
	return migrator, nil
}

// migrateOne applies the first step that is missing, if there is one, and
// returns its name. Each has a transaction of its own: PostgreSQL does not let
// one use a value of an enumeration that it has added itself.
func migrateOne(ctx context.Context, opened *database.Database, migrator *rivermigrate.Migrator[*sql.Tx]) (applied string, err error) {
	err = opened.Write(ctx, func(ctx context.Context) error {
		if err := opened.Seize(ctx, database.LockQueue); err != nil {
			return err
		}
		transaction, err := opened.Transaction(ctx)
		if err != nil {
			return err
		}
		//nolint:staticcheck // Deprecated for runs of several steps; this is one step, under our lock.
		result, err := migrator.MigrateTx(ctx, transaction, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{MaxSteps: 1})
		if err != nil {
			return err
		}
		for _, one := range result.Versions {
			applied = stepName(rivermigrate.Migration{Version: one.Version, Name: one.Name})
		}
		return nil
	})
	return applied, err
}

// Start begins to do jobs, until Stop or until the context ends. Starting twice
// is no error.
func (q *Queue) Start(ctx context.Context) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.running {
		return nil
	}
	if err := q.client.Start(ctx); err != nil {
		return fmt.Errorf("start the queue of jobs: %w", err)
	}
	q.running = true
	return nil
}

// Stop ends the jobs that are under way, which are tried again later, and
// returns when they have ended.
func (q *Queue) Stop(ctx context.Context) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if !q.running {
		return nil
	}
	q.running = false
	return q.client.StopAndCancel(ctx)
}

// put adds a job to the queue in the transaction in progress.
func (q *Queue) put(ctx context.Context, arguments river.JobArgs, options *river.InsertOpts) error {
	transaction, err := q.database.Transaction(ctx)
	if err != nil {
		return fmt.Errorf("put a job into the queue: %w", err)
	}
	if _, err := q.client.InsertTx(ctx, transaction, arguments, options); err != nil {
		return fmt.Errorf("put a job into the queue: %w", err)
	}
	return nil
}

// failures logs the jobs that fail.
type failures struct{ logger *slog.Logger }

// HandleError logs an attempt that failed, and gives up what can never succeed.
func (f failures) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	f.logger.WarnContext(ctx, "a job failed", "kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "of", job.MaxAttempts, "error", err)
	_, refused := errors.AsType[*mail.Refusal](err)
	return &river.ErrorHandlerResult{SetCancelled: refused}
}

// HandlePanic logs an attempt that panicked.
func (f failures) HandlePanic(ctx context.Context, job *rivertype.JobRow, panicked any, trace string) *river.ErrorHandlerResult {
	f.logger.ErrorContext(ctx, "panic in a job", "kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "panic", panicked, "stack", trace)
	return nil
}

// warnings keeps the queue's own log to warnings and errors.
type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler. What fails because the queue is being stopped
// is no failure: the next start does it.
func (w warnings) Handle(ctx context.Context, record slog.Record) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	return w.Handler.Handle(ctx, record)
}
