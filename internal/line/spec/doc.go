// Package spec owns the production line that turns any input into an executable, verified spec: the CanonicalSpec and its
// gates, the steps from ingest to publish, the clarify loop as rounds, and the documents that prove how a version came to
// be (snapshots, evidence). It must not know engine, stores, models, publishers or other lines.
package spec
