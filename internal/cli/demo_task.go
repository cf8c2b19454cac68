package cli

import (
	"context"

	"sluice/internal/app"
	"sluice/internal/fault"
)

// task plays a plan: it is made from one sentence, reviewed, performed and exported.
func (p *play) task(ctx context.Context) error {
	p.say("The task line plans a task until every part fits one model call, then makes and reviews each part.")
	if err := p.enter(ctx, p.dir, 0, "task", "new", "Prepare a reading evening at the town library"); err != nil {
		return err
	}
	plan, err := p.plan(ctx)
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"task", "graph", plan}, {"task", "run", plan}, {"task", "export", plan}} {
		if err := p.enter(ctx, p.dir, 0, args...); err != nil {
			return err
		}
	}
	return nil
}

// plan names the newest plan.
func (p *play) plan(ctx context.Context) (id string, err error) {
	inner := newKit(p.env(p.dir, nil))
	inner.prepare()
	err = inner.With(ctx, func(a *app.App) error {
		list, err := a.ListPlans(ctx, 1, "")
		if err != nil {
			return err
		}
		if len(list.Plans) == 0 {
			return fault.New(fault.Unexpected, "task", "the demo made no plan")
		}
		id = list.Plans[0].PlanID
		return nil
	})
	return id, err
}
