package cli

import (
	"context"

	"sluice/internal/app"
	"sluice/internal/fault"
)

// demoWish is what the demo's feature begins with.
const demoWish = "Let readers find a book by any word of its title"

// spec plays a feature: from a sentence to a spec that passes its gates, is decided on, published and proven.
func (p *play) spec(ctx context.Context) error {
	p.say("The spec line turns any input into a spec that passes its gates, with evidence for every field.")
	if err := p.enter(ctx, p.dir, fault.ExitParked, "spec", "new", demoWish); err != nil {
		return err
	}
	feature, err := p.feature(ctx)
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"spec", "trace", feature, "spec.goal"},
		{"spec", "review", feature, "go", "--reason", "as agreed"},
		{"spec", "publish", feature, "--target", "file"},
		{"spec", "replay", feature},
	} {
		if err := p.enter(ctx, p.dir, 0, args...); err != nil {
			return err
		}
	}
	return nil
}

// feature names the newest feature.
func (p *play) feature(ctx context.Context) (id string, err error) {
	inner := newKit(p.env(p.dir, nil))
	inner.prepare()
	err = inner.With(ctx, func(a *app.App) error {
		list, err := a.ListSpecs(ctx, "", 1, "")
		if err != nil {
			return err
		}
		if len(list.Features) == 0 {
			return fault.New(fault.Unexpected, "spec", "the demo made no feature")
		}
		id = list.Features[0].FeatureID
		return nil
	})
	return id, err
}
