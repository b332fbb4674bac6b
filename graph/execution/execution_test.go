package execution_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"octavo/graph/execution"
)

func responding() context.Context {
	return graphql.WithResponseContext(context.Background(), graphql.DefaultErrorPresenter, graphql.DefaultRecover)
}

func TestItemsInMemoryAreAnsweredInTurn(t *testing.T) {
	t.Parallel()
	var running, most atomic.Int64
	answered := execution.MarshalList(responding(), 20, func(ctx context.Context, _ int) graphql.Marshaler {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		return graphql.MarshalString(graphql.GetPath(ctx).String())
	})
	assert.EqualValues(t, 1, most.Load())
	assert.Equal(t, `"[19]"`, written(answered[19]))
}

func TestItemsThatWaitAreAnsweredAtTheSameTime(t *testing.T) {
	t.Parallel()
	const count = 10
	arrived, all := make(chan struct{}, count), make(chan struct{})
	go func() {
		for range count - 2 {
			<-arrived
		}
		close(all)
	}()
	answered := execution.MarshalList(responding(), count, func(_ context.Context, index int) graphql.Marshaler {
		switch index {
		case 0:
		case 1:
			<-time.After(5 * time.Millisecond)
		default:
			arrived <- struct{}{}
			<-all // nobody gets here before the last has come
		}
		return graphql.MarshalInt(index)
	})
	assert.Equal(t, "[0,1,2,3,4,5,6,7,8,9]", written(answered))
}

func TestAListWithAPanicIsNullAndTheErrorNamesTheItem(t *testing.T) {
	t.Parallel()
	ctx := responding()
	answered := execution.MarshalList(ctx, 3, func(_ context.Context, index int) graphql.Marshaler {
		if index == 1 {
			panic("broken")
		}
		return graphql.MarshalInt(index)
	})
	assert.Nil(t, answered)
	errors := graphql.GetErrors(ctx)
	require.Len(t, errors, 1)
	assert.Equal(t, ast.Path{ast.PathIndex(1)}, errors[0].Path)
}

func TestObjectsAreWrittenAsGqlgenWritesThem(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{}, {"id"}, {"id", "title", "other"}} {
		fields := make([]graphql.CollectedField, len(names))
		for index, name := range names {
			fields[index] = graphql.CollectedField{Field: &ast.Field{Name: name, Alias: name}}
		}
		theirs, ours := graphql.NewFieldSet(fields), execution.NewFieldSet(fields)
		for index := range names {
			theirs.Values[index], ours.Values[index] = graphql.MarshalInt(index), graphql.MarshalInt(index)
		}
		ours.Concurrently(0, func(context.Context) graphql.Marshaler { return graphql.MarshalString("late") })
		if len(names) > 0 {
			ours.Dispatch(context.Background())
			theirs.Values[0] = graphql.MarshalString("late")
		}
		assert.Equal(t, written(theirs), written(ours))
	}
}

func written(value graphql.Marshaler) string {
	var out strings.Builder
	value.MarshalGQL(&out)
	return out.String()
}
