// Package execution is what the generated executor of GraphQL calls instead of
// gqlgen's own: objects that are written without bookkeeping, and lists and
// fields that are answered in turn as long as nothing makes them wait.
package execution

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"octavo/internal/loader"
)

// patience is how long one item or field may take before those that are left
// are answered at the same time: what takes longer waits for something. What
// is in memory takes a few microseconds, a goroutine costs as much.
const patience = 250 * time.Microsecond

// FieldSet is the answer for one object.
type FieldSet struct {
	graphql.FieldSet
	fields  []graphql.CollectedField
	delayed []delayed
}

type delayed struct {
	index   int
	resolve func(context.Context) graphql.Marshaler
}

// NewFieldSet returns the answer for an object with the fields.
func NewFieldSet(fields []graphql.CollectedField) *FieldSet {
	return &FieldSet{FieldSet: graphql.FieldSet{Values: make([]graphql.Marshaler, len(fields))}, fields: fields}
}

// Concurrently has a field resolved by Dispatch.
func (f *FieldSet) Concurrently(index int, resolve func(context.Context) graphql.Marshaler) {
	f.delayed = append(f.delayed, delayed{index, resolve})
}

// Dispatch resolves the fields that were set aside.
func (f *FieldSet) Dispatch(ctx context.Context) {
	run(len(f.delayed), 0, nil, func(index int) {
		f.Values[f.delayed[index].index] = f.delayed[index].resolve(ctx)
	})
}

// MarshalGQL writes the object. Its fields have different names already.
func (f *FieldSet) MarshalGQL(writer io.Writer) {
	for index, field := range f.fields {
		separator := `,"`
		if index == 0 {
			separator = `{"`
		}
		// The writer is a buffer of the response; it does not fail. Names of
		// fields need no escape.
		_, _ = io.WriteString(writer, separator)
		_, _ = io.WriteString(writer, field.Alias)
		_, _ = io.WriteString(writer, `":`)
		f.Values[index].MarshalGQL(writer)
	}
	if len(f.fields) == 0 {
		_, _ = io.WriteString(writer, "{")
	}
	_, _ = io.WriteString(writer, "}")
}

// MarshalList answers the items of a list; nil when one of them panicked.
//
// The first item may take its time, since what all items refer to is read with
// it. If it had to wait for a look-up that nobody expected, the others are
// answered at the same time, so that they share the next one.
func MarshalList(ctx context.Context, length int, marshal func(ctx context.Context, index int) graphql.Marshaler) graphql.Array {
	answered := make(graphql.Array, length)
	indexes := make([]int, length)
	var failed atomic.Bool
	run(length, 1, loader.Waited(ctx), func(index int) {
		indexes[index] = index
		ctx := graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: &indexes[index]})
		defer func() {
			if panicked := recover(); panicked != nil {
				graphql.AddError(ctx, graphql.Recover(ctx, panicked))
				failed.Store(true)
			}
		}()
		answered[index] = marshal(ctx, index)
	})
	if failed.Load() {
		return nil
	}
	return answered
}

// run does tasks in turn, and those that are left at the same time as soon as
// one took long or the counter of waits has risen. The first few may take long.
func run(count, patient int, waits *atomic.Int64, do func(index int)) {
	var before int64
	if waits != nil {
		before = waits.Load()
	}
	for index := range count {
		if index == count-1 {
			do(index)
			return
		}
		begin := time.Now()
		do(index)
		waited := waits != nil && waits.Load() != before
		if waited || index >= patient && time.Since(begin) > patience {
			together(index+1, count, do)
			return
		}
	}
}

func together(from, count int, do func(index int)) {
	var group sync.WaitGroup
	for index := from + 1; index < count; index++ {
		group.Go(func() { do(index) })
	}
	do(from)
	group.Wait()
}
