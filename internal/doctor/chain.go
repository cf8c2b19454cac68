package doctor

import (
	"context"
	"fmt"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// walk goes through the batches of a run: numbers, chain, content and events. It gives the fold and its events, or nil
// where the journal has holes or does not decode and a fold would be one of another history.
func (v *verifier) walk(ctx context.Context, batches []journal.Stored) (*kernel.Run, []kernel.Event, error) {
	if len(batches) == 0 {
		v.find(Finding{Code: JournalGap, Severity: Error, Message: "run " + v.run + " has no batch", Hint: backupHint})
		return nil, nil, nil
	}
	run, whole := kernel.NewRun(), true
	var all []kernel.Event
	var prev journal.Hash
	var last int64
	for _, b := range batches {
		if err := ctx.Err(); err != nil {
			return nil, nil, fault.Wrap(fault.Interrupted, v.run, err, "checking run %s was interrupted", v.run)
		}
		v.report.Batches++
		linked := v.link(b, prev, last)
		blobs, err := v.blobs(ctx, b)
		if err != nil {
			return nil, nil, err
		}
		events, ok := v.decode(b)
		v.contents(b, events, blobs)
		if whole = whole && linked && ok; whole {
			kernel.Fold(run, events)
			all = append(all, events...)
		}
		// What follows is measured by what is stored here, so that one damage is one finding.
		prev, last = b.Hash, b.Last
	}
	if !whole {
		return nil, nil, nil
	}
	return run, all, nil
}

// link checks a batch against the one before it. It tells whether the numbers go on.
func (v *verifier) link(b journal.Stored, prev journal.Hash, last int64) bool {
	f := Finding{Severity: Error, Seq: b.First, Hint: backupHint}
	ok := b.First == last+1 && b.Last >= b.First
	if !ok {
		f.Code = JournalGap
		f.Message = fmt.Sprintf("batch %d–%d follows event %d", b.First, b.Last, last)
		v.find(f)
	}
	if b.Prev != prev {
		f.Code = ChainBroken
		f.Message = fmt.Sprintf("batch %d–%d names %x as the hash before it, which is %x", b.First, b.Last, b.Prev[:6], prev[:6])
		v.find(f)
	}
	if got := journal.Chain(b.Prev, v.run, b.First, b.Last, b.At, b.Events, b.Blobs); got != b.Hash {
		f.Code = BatchAltered
		f.Message = fmt.Sprintf("batch %d–%d hashes to %x and not to %x", b.First, b.Last, got[:6], b.Hash[:6])
		v.find(f)
	}
	return ok
}

// blob is content that a batch stored, as it was found.
type blob struct {
	size int64
	code string // of what is wrong with it
	why  string
	told bool // with a version that it belongs to
}

// blobs hashes the content that a batch stored, one at a time.
func (v *verifier) blobs(ctx context.Context, b journal.Stored) (map[digest.Digest]*blob, error) {
	all := make(map[digest.Digest]*blob, len(b.Blobs))
	for _, d := range b.Blobs {
		if all[d] != nil {
			continue
		}
		body, err := v.store.Blob(ctx, v.run, b.Last, d)
		is := &blob{size: int64(len(body))}
		switch code := fault.CodeOf(err); {
		case code == fault.NotFound:
			is.code, is.why = BytesMissing, "the bytes "+d.Short()+" are not there"
		case code == fault.StoreCorrupt:
			is.code, is.why = BytesDamaged, err.Error()
		case err != nil:
			return nil, err
		case digest.Of(body) != d:
			is.code, is.why = BytesDamaged, "the bytes "+d.Short()+" hash to "+digest.Of(body).Short()
		}
		if is.code == "" {
			v.report.Bytes += is.size
		}
		all[d] = is
	}
	return all, nil
}

func (v *verifier) decode(b journal.Stored) ([]kernel.Event, bool) {
	f := Finding{Severity: Error, Seq: b.First}
	events, err := kernel.Decode(b.Events)
	switch {
	case fault.CodeOf(err) == fault.StoreNewer:
		f.Code, f.Message, f.Command = EventsNewer, fmt.Sprintf("batch %d–%d: %v", b.First, b.Last, err), "sluice version"
	case err != nil:
		f.Code, f.Message, f.Hint = EventsUnreadable, fmt.Sprintf("batch %d–%d: %v", b.First, b.Last, err), backupHint
	case int64(len(events)) != b.Last-b.First+1:
		f.Code, f.Hint = JournalGap, backupHint
		f.Message = fmt.Sprintf("batch %d–%d holds %d events", b.First, b.Last, len(events))
	default:
		v.report.Events += len(events)
		return events, true
	}
	v.find(f)
	return nil, false
}

// contents checks that every version a batch stored has its bytes in it. Damaged content that no version names, as of a
// state file, is told by its batch.
func (v *verifier) contents(b journal.Stored, events []kernel.Event, blobs map[digest.Digest]*blob) {
	for i, e := range events {
		switch fact := e.Fact.(type) {
		case kernel.ReviewRecorded:
			v.report.Reviews++
		case kernel.VersionStored:
			v.report.Versions++
			seq, n := b.First+int64(i), fact.Version
			v.content(seq, n, "version "+string(n.ID), blobs[n.Digest], n.Size)
			for _, p := range n.Parts {
				v.content(seq, n, "part "+p.Path+" of version "+string(n.ID), blobs[p.Digest], p.Size)
			}
		}
	}
	for _, is := range blobs {
		if is.code != "" && !is.told {
			v.find(Finding{Code: is.code, Severity: Error, Seq: b.First, Hint: backupHint,
				Message: fmt.Sprintf("batch %d–%d: %s", b.First, b.Last, is.why)})
		}
	}
}

func (v *verifier) content(seq int64, n kernel.Version, what string, is *blob, size int64) {
	f := Finding{Severity: Error, Seq: seq, Node: string(n.Node), Hint: backupHint}
	switch {
	case is == nil:
		f.Code, f.Message = BytesMissing, what+": its batch does not hold its bytes"
	case is.code != "":
		is.told = true
		f.Code, f.Message = is.code, what+": "+is.why
	case is.size != size:
		f.Code, f.Message = SizeDiffers, fmt.Sprintf("%s: it has %d bytes and its event says %d", what, is.size, size)
	default:
		return
	}
	v.find(f)
}
