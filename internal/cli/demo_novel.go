package cli

import "context"

// novel plays a short book from its premise to one file of it.
func (p *play) novel(ctx context.Context) error {
	p.say("The novel line writes a book, chapter after chapter, and holds each against those before it.")
	for _, args := range [][]string{
		{"novel", "new", "lighthouse", "--premise", "A lighthouse keeper named Ana finds a door in the sea", "--chapters", "2"},
		{"novel", "run", "lighthouse"},
		{"novel", "status", "lighthouse"},
		{"novel", "export", "lighthouse", "--format", "epub"},
	} {
		if err := p.enter(ctx, p.dir, 0, args...); err != nil {
			return err
		}
	}
	return nil
}
