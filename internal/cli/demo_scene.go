package cli

import (
	"context"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/scene"
)

// scene plays a scene of a book: it is planned, a variant is chosen, and it is written from the blueprint that the plan
// left behind, with an approval in between.
func (p *play) scene(ctx context.Context) error {
	p.say("The scene line plans a scene in five phases. In the second it offers variants and waits for a choice.")
	err := p.enter(ctx, p.dir, fault.ExitParked, "scene", "plan", "--level", "scene", "--act", "1", "--chapter", "2", "--scene", "4")
	if err != nil {
		return err
	}
	planning, err := p.workflow(ctx, scene.Planning)
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"scene", "choose", planning, "A"}, {"scene", "run", planning}} {
		if err := p.enter(ctx, p.dir, 0, args...); err != nil {
			return err
		}
	}
	p.say("The plan wrote the scene's blueprint. Generation checks it, plans the verification and waits for approval.")
	if err := p.enter(ctx, p.dir, fault.ExitParked, "scene", "generate", "0204"); err != nil {
		return err
	}
	generation, err := p.workflow(ctx, scene.Generation)
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"scene", "approve", generation, "--set", "tone=quiet"}, {"scene", "run", generation}} {
		if err := p.enter(ctx, p.dir, 0, args...); err != nil {
			return err
		}
	}
	p.say("Agents of others can drive the same workflows: sluice mcp serves them to Claude Code, Cursor and the like.")
	return nil
}

// workflow names the newest workflow of a type.
func (p *play) workflow(ctx context.Context, kind string) (id string, err error) {
	inner := newKit(p.env(p.dir, nil))
	inner.prepare()
	err = inner.With(ctx, func(a *app.App) error {
		list, err := a.Workflows(ctx, scene.Query{WorkflowType: kind})
		if err != nil {
			return err
		}
		if len(list.Workflows) == 0 {
			return fault.New(fault.Unexpected, kind, "the demo made no %s workflow", kind)
		}
		id = list.Workflows[0].WorkflowID
		return nil
	})
	return id, err
}
