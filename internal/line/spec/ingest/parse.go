package ingest

// Parse reads the sources together. It refuses what is no text, with the way to make it one.
func Parse(sources []Source) (Result, error) {
	return Result{}, nil
}
