package loader

import (
	"context"
	"errors"
	"sync"
	"time"
)

// wait is how long a look-up that nobody expected waits for others to join it.
const wait = 500 * time.Microsecond

// ErrNotFound is what a key without a value comes to.
var ErrNotFound = errors.New("a look-up found nothing")

// Loader reads values by their keys, each once, and many in one statement. It
// belongs to one request and is safe for concurrent use.
//
// The first look-up of a key reads at once all keys that are expected to be
// asked for beside it. A key that nobody expected waits for others, as under
// any other loader.
type Loader[Key comparable, Value any] struct {
	fetch func(ctx context.Context, keys []Key) (map[Key]Value, error)
	// kin returns the keys that will be asked for beside one, as far as what
	// the request has met tells; nil for a loader of values by their ids.
	kin func(met *met, key Key) []Key
	// learn notes what the values that were read refer to.
	learn func(loaders *Loaders, found map[Key]Value)

	mutex    sync.Mutex
	expected []*expectation[Key]
	batches  map[Key]*batch[Key, Value]
	waiting  *batch[Key, Value]
}

// expectation is a group of keys of which all will be asked for, or none.
type expectation[Key comparable] struct {
	list func(yield func(Key))
	keys []Key // once listed
}

// batch is one statement.
type batch[Key comparable, Value any] struct {
	keys  []Key
	done  chan struct{}
	found map[Key]Value
	err   error
}

// learning sets what is noted of what was read.
func (l *Loader[Key, Value]) learning(learn func(loaders *Loaders, found map[Key]Value)) *Loader[Key, Value] {
	l.learn = learn
	return l
}

// of sets what is read beside a list.
func (l *Loader[Key, Value]) of(kin func(met *met, key Key) []Key) *Loader[Key, Value] {
	l.kin = kin
	return l
}

// Load returns the value of a key, or ErrNotFound.
func (l *Loader[Key, Value]) Load(ctx context.Context, key Key) (Value, error) {
	reading, begin := l.join(ctx, key)
	if begin != nil {
		begin(ctx, reading)
	}
	<-reading.done
	value, found := reading.found[key]
	if reading.err == nil && !found {
		return value, ErrNotFound
	}
	return value, reading.err
}

// join returns the batch that reads the key, and what the caller has to do for
// it, if anything.
func (l *Loader[Key, Value]) join(ctx context.Context, key Key) (*batch[Key, Value], func(context.Context, *batch[Key, Value])) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.batches == nil {
		l.batches = map[Key]*batch[Key, Value]{}
	}
	if known := l.batches[key]; known != nil {
		return known, nil
	}
	if keys := l.beside(ctx, key); keys != nil {
		made := l.newBatch()
		for _, each := range keys {
			l.put(made, each)
		}
		return made, l.read
	}
	if l.waiting != nil {
		l.put(l.waiting, key)
		return l.waiting, nil
	}
	l.waiting = l.newBatch()
	l.put(l.waiting, key)
	return l.waiting, l.readLater
}

func (l *Loader[Key, Value]) newBatch() *batch[Key, Value] {
	return &batch[Key, Value]{done: make(chan struct{})}
}

func (l *Loader[Key, Value]) put(into *batch[Key, Value], key Key) {
	if l.batches[key] == nil {
		l.batches[key] = into
		into.keys = append(into.keys, key)
	}
}

// beside returns the smallest group of keys that is expected to be asked for
// with the key: a larger one may be of a list whose items are asked for less.
func (l *Loader[Key, Value]) beside(ctx context.Context, key Key) []Key {
	if l.kin != nil {
		return l.kin(&From(ctx).met, key)
	}
	var smallest []Key
	for _, group := range l.expected {
		if keys := group.having(key); keys != nil && (smallest == nil || len(keys) < len(smallest)) {
			smallest = keys
		}
	}
	return smallest
}

// having returns the keys of the group if the key is one of them.
func (e *expectation[Key]) having(key Key) []Key {
	if e.list != nil {
		e.list(func(each Key) { e.keys = append(e.keys, each) })
		e.list = nil
	}
	for _, each := range e.keys {
		if each == key {
			return e.keys
		}
	}
	return nil
}

// expect says that the keys that the function lists will all be asked for if
// one is. They are listed when that matters.
func (l *Loader[Key, Value]) expect(list func(yield func(Key))) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.expected = append(l.expected, &expectation[Key]{list: list})
}

// readLater reads a batch once others had the time to join it.
func (l *Loader[Key, Value]) readLater(ctx context.Context, gathered *batch[Key, Value]) {
	if waited := Waited(ctx); waited != nil {
		waited.Add(1)
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
	}
	l.mutex.Lock()
	l.waiting = nil
	l.mutex.Unlock()
	l.read(ctx, gathered)
}

func (l *Loader[Key, Value]) read(ctx context.Context, gathered *batch[Key, Value]) {
	gathered.err = errors.New("a look-up panicked")
	defer close(gathered.done)
	gathered.found, gathered.err = l.fetch(ctx, gathered.keys)
	if gathered.err == nil && l.learn != nil {
		l.learn(From(ctx), gathered.found)
	}
}
