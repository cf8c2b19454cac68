package main

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver that the floor and the store share
)

const stepsPerRun = 7

// floor measures the least that a durable seven-step engine must do on SQLite: one transaction per step (insert the
// event with its 1 KB result, update the run's row), one writer goroutine that commits whatever waits, WAL,
// synchronous=FULL. It gives steps per second.
func floor(runs, inFlight int) (rate float64, err error) {
	f, done, err := openFloor()
	if err != nil {
		return 0, err
	}
	defer done()
	started := time.Now()
	if err := f.run(runs, inFlight); err != nil {
		return 0, err
	}
	return float64(runs*stepsPerRun) / time.Since(started).Seconds(), nil
}

// pathFloor measures the least that calls which follow one another take, each with one durable step between it and the next, as
// the median of some rounds.
func pathFloor(rounds, calls int, delay time.Duration) (time.Duration, error) {
	f, done, err := openFloor()
	if err != nil {
		return 0, err
	}
	defer done()
	var spent []float64
	for round := range rounds {
		started := time.Now()
		for call := range calls {
			time.Sleep(delay)
			err := f.do(func(tx *sql.Tx) error {
				_, err := tx.Stmt(f.insertEvent).Exec(fmt.Sprint(round), call, "step.done", started.UnixMicro(), payload())
				return err
			})
			if err != nil {
				return 0, err
			}
		}
		spent = append(spent, time.Since(started).Seconds())
	}
	return time.Duration(median(spent) * float64(time.Second)), nil
}

// openFloor makes a store that is no more than it must be.
func openFloor() (f floorStore, done func(), err error) {
	dir, err := os.MkdirTemp("", "sluice-floor")
	if err != nil {
		return f, nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "floor.db")+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return f, nil, err
	}
	db.SetMaxOpenConns(1)
	for _, s := range []string{
		"CREATE TABLE run(id TEXT PRIMARY KEY, status TEXT, cursor INT, updated INT) WITHOUT ROWID",
		"CREATE INDEX run_status ON run(status, updated)",
		"CREATE TABLE event(run TEXT, seq INT, kind TEXT, at INT, body BLOB, PRIMARY KEY(run, seq))",
	} {
		if _, err := db.Exec(s); err != nil {
			return f, nil, errors.Join(err, db.Close())
		}
	}
	f = floorStore{db: db, writes: make(chan floorWrite, 1024)}
	for text, into := range map[string]**sql.Stmt{
		"INSERT INTO run VALUES(?,?,?,?)":                         &f.insertRun,
		"UPDATE run SET status=?, cursor=?, updated=? WHERE id=?": &f.updateRun,
		"INSERT INTO event VALUES(?,?,?,?,?)":                     &f.insertEvent,
	} {
		if *into, err = db.Prepare(text); err != nil {
			return f, nil, errors.Join(err, db.Close())
		}
	}
	go f.commit()
	return f, func() { close(f.writes); db.Close(); os.RemoveAll(dir) }, nil
}

type floorWrite struct {
	apply func(*sql.Tx) error
	done  chan error
}

type floorStore struct {
	db                                *sql.DB
	insertRun, updateRun, insertEvent *sql.Stmt
	writes                            chan floorWrite
}

func (f floorStore) do(apply func(*sql.Tx) error) error {
	w := floorWrite{apply, make(chan error, 1)}
	f.writes <- w
	return <-w.done
}

func (f floorStore) run(runs, inFlight int) error {
	ids := make(chan int)
	errs := make(chan error, inFlight)
	var wg sync.WaitGroup
	for range inFlight {
		wg.Go(func() {
			for i := range ids {
				if err := f.oneRun(fmt.Sprintf("run-%d", i)); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	for i := range runs {
		ids <- i
	}
	close(ids)
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

func (f floorStore) oneRun(id string) error {
	err := f.do(func(tx *sql.Tx) error {
		_, err := tx.Stmt(f.insertRun).Exec(id, "running", 0, time.Now().UnixMicro())
		return err
	})
	for s := 0; s < stepsPerRun && err == nil; s++ {
		body := payload()
		err = f.do(func(tx *sql.Tx) error {
			now := time.Now().UnixMicro()
			if _, err := tx.Stmt(f.insertEvent).Exec(id, s, "step.done", now, body); err != nil {
				return err
			}
			status := "running"
			if s == stepsPerRun-1 {
				status = "done"
			}
			_, err := tx.Stmt(f.updateRun).Exec(status, s+1, now, id)
			return err
		})
	}
	return err
}

// commit applies every write that waits in one transaction.
func (f floorStore) commit() {
	for w := range f.writes {
		group := []floorWrite{w}
	collect:
		for len(group) < 64 {
			select {
			case w := <-f.writes:
				group = append(group, w)
			default:
				break collect
			}
		}
		tx, err := f.db.Begin()
		for _, w := range group {
			if err == nil {
				err = w.apply(tx)
			}
		}
		if err == nil {
			err = tx.Commit()
		}
		for _, w := range group {
			w.done <- err
		}
	}
}

func payload() []byte {
	var b strings.Builder
	for range 125 {
		fmt.Fprintf(&b, "%08x", rand.Uint32())
	}
	return []byte(b.String())
}
