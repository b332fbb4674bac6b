package event

import (
	"time"
)

// pollInterval is how soon a process hears of what other processes, such as
// commands, published in the same file.
const pollInterval = time.Second

// poll delivers the events of other processes; those of this one are delivered
// when they are committed. While nobody else writes it reads nothing but a
// number that SQLite keeps in memory.
func (b *Bus) poll() {
	version, err := b.dataVersion()
	if err != nil {
		b.logger.Warn("looking for events of other processes", "error", err)
	}
	seen := time.Now()
	b.beReady(seen)
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-b.lifetime.Done():
			return
		case <-ticker.C:
		}
		version, seen = b.pollOnce(version, seen)
	}
}

// pollOnce returns the version and the time up to which everything is
// delivered.
func (b *Bus) pollOnce(version int64, seen time.Time) (int64, time.Time) {
	begin := time.Now()
	current, err := b.dataVersion()
	if err == nil && current != version {
		err = b.catchUp(seen)
	}
	if err != nil {
		if b.lifetime.Err() == nil {
			b.logger.Warn("looking for events of other processes", "error", err)
		}
		return version, seen
	}
	return current, begin
}

// dataVersion changes when another connection than the one that this process
// writes with has changed the file.
func (b *Bus) dataVersion() (version int64, err error) {
	err = b.database.Pool().QueryRowContext(b.lifetime, "PRAGMA data_version").Scan(&version)
	return version, err
}
