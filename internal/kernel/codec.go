package kernel

import (
	"encoding/json"
	"fmt"
	"time"

	"sluice/internal/fault"
)

// envelope is the shape of an event in the journal. It must load for ever: fields are added, never changed.
type envelope struct {
	Type string          `json:"type"`
	At   time.Time       `json:"at"`
	By   Actor           `json:"by"`
	Fact json.RawMessage `json:"fact"`
}

// Encode renders events as one JSON array, the form in which a batch keeps them.
func Encode(events []Event) ([]byte, error) {
	out := make([]byte, 0, 256*len(events)+2)
	out = append(out, '[')
	for i, e := range events {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = appendEvent(out, e); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

// appendEvent writes the envelope by hand: marshalling the fact once is half the work of marshalling it twice.
func appendEvent(out []byte, e Event) ([]byte, error) {
	fact, err := json.Marshal(e.Fact)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Fact.word(), err)
	}
	by, err := json.Marshal(e.By)
	if err != nil {
		return nil, err
	}
	out = append(out, `{"type":"`...)
	out = append(out, e.Fact.word()...)
	out = append(out, `","at":"`...)
	out = e.At.UTC().AppendFormat(out, time.RFC3339Nano)
	out = append(out, `","by":`...)
	out = append(out, by...)
	out = append(out, `,"fact":`...)
	out = append(out, fact...)
	return append(out, '}'), nil
}

// Decode reads the events of a batch. A word this program does not know is an error: a newer one wrote it.
func Decode(raw []byte) ([]Event, error) {
	var envelopes []envelope
	if err := json.Unmarshal(raw, &envelopes); err != nil {
		return nil, fault.Wrap(fault.StoreCorrupt, "journal", err, "a batch of events is not a JSON array of events")
	}
	events := make([]Event, len(envelopes))
	for i, env := range envelopes {
		fact, err := decodeFact(env.Type, env.Fact)
		if err != nil {
			return nil, err
		}
		events[i] = Event{At: env.At, By: env.By, Fact: fact}
	}
	return events, nil
}

func decodeFact(word string, raw json.RawMessage) (Fact, error) {
	switch word {
	case RunOpened{}.word():
		return decodeAs[RunOpened](raw)
	case NodesAdded{}.word():
		return decodeAs[NodesAdded](raw)
	case NodeAbandoned{}.word():
		return decodeAs[NodeAbandoned](raw)
	case NodeReopened{}.word():
		return decodeAs[NodeReopened](raw)
	case NodeHeld{}.word():
		return decodeAs[NodeHeld](raw)
	case RedoRequested{}.word():
		return decodeAs[RedoRequested](raw)
	case AttemptBegan{}.word():
		return decodeAs[AttemptBegan](raw)
	case AttemptClosed{}.word():
		return decodeAs[AttemptClosed](raw)
	case VersionStored{}.word():
		return decodeAs[VersionStored](raw)
	case OfferTaken{}.word():
		return decodeAs[OfferTaken](raw)
	case ReviewRecorded{}.word():
		return decodeAs[ReviewRecorded](raw)
	case VersionApproved{}.word():
		return decodeAs[VersionApproved](raw)
	case VersionRejected{}.word():
		return decodeAs[VersionRejected](raw)
	case AskOpened{}.word():
		return decodeAs[AskOpened](raw)
	case AskClosed{}.word():
		return decodeAs[AskClosed](raw)
	case RolledBack{}.word():
		return decodeAs[RolledBack](raw)
	case RollbackUndone{}.word():
		return decodeAs[RollbackUndone](raw)
	case RunClosed{}.word():
		return decodeAs[RunClosed](raw)
	case RunReopened{}.word():
		return decodeAs[RunReopened](raw)
	case RunRelabelled{}.word():
		return decodeAs[RunRelabelled](raw)
	case EvidenceRecorded{}.word():
		return decodeAs[EvidenceRecorded](raw)
	}
	return nil, fault.New(fault.StoreNewer, word, "the journal holds an event %q that this program does not know", word).
		With(fault.Action{Action: "upgrade", Why: "a newer sluice wrote it"})
}

func decodeAs[F Fact](raw json.RawMessage) (Fact, error) {
	var f F
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fault.Wrap(fault.StoreCorrupt, "journal", err, "event %s does not parse", f.word())
	}
	return f, nil
}
