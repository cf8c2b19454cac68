package publish

import (
	"encoding/json"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/line/spec/ledger"
)

func entryOf(r ledger.Record, at time.Time) (journal.Entry, error) {
	body, err := json.Marshal(r)
	return journal.Entry{ID: r.LedgerID, Feature: r.FeatureID, Target: r.Target, Key: r.IdempotencyKey, Status: string(r.Status),
		At: at, Body: body}, err
}

func recordOf(e journal.Entry) (ledger.Record, error) {
	var r ledger.Record
	if err := json.Unmarshal(e.Body, &r); err != nil {
		return r, fault.Wrap(fault.StoreCorrupt, e.ID, err, "ledger record %s cannot be read", e.ID)
	}
	return r, nil
}
