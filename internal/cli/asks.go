package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/fault"
)

func (k *Kit) inbox() *cobra.Command {
	var live, plain bool
	c := &cobra.Command{
		Use:   "inbox [RUN]",
		Short: "List what waits for a person, with the commands that answer it",
		Long: `Lists every open ask of every run, or of one: what is asked, of which version, since when, and the exact commands that
answer it. Asks wait for ever: silence is never consent.

With --watch they are shown live with what they are about, and keys answer: a approves exactly the version on the
screen, r rejects it, d shows what changed, ? lists the keys. A version that moved meanwhile is refused, and nothing is
done. Without a terminal, or with --plain, each ask is printed as a line when it is opened, with --json as a document
per line, until you stop it.

` + exits(0, 2, 3),
		Example: "  sluice inbox\n  sluice inbox sample-1\n  sluice inbox --watch",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			if live {
				return k.watchInbox(c, strings.Join(args, ""), plain)
			}
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.Inbox(c.Context(), strings.Join(args, ""))
				if err != nil {
					return err
				}
				return k.Print(d, k.look().inbox(d))
			})
		},
	}
	c.Flags().BoolVarP(&live, "watch", "w", false, "show asks live, and answer them by key")
	c.Flags().BoolVar(&plain, "plain", false, "with --watch: print lines, also on a terminal")
	return c
}

// reply is an answer as the flags give it.
type reply struct {
	app.Reply
	digest, file string
	set          []string
	setFlag      string
	done         string // what it did, in words
}

func (k *Kit) approve() *cobra.Command {
	var r reply
	c := &cobra.Command{
		Use:   "approve ASK",
		Short: "Approve the version that an ask is about",
		Long: `Approves exactly the version that the ask shows, by its digest. If a newer version stands by now the approval is refused
with exit code 5. With -f, the content of FILE is approved in its place and recorded as yours. The run goes on with --run,
or later with the command that is printed.

` + exits(0, 2, 3, 4, 5, 6),
		Example: `  sluice approve a1b2c3 --run
  sluice approve a1b2c3 --digest 5e884898da28 --reason "reads well"
  sluice approve a1b2c3 --set tone=warm -f better.md`,
	}
	c.Flags().StringArrayVar(&r.set, "set", nil, "a change `NAME=VALUE` that goes with the approval (repeat for more)")
	c.Flags().StringVarP(&r.file, "file", "f", "", "approve the content of `FILE` instead (- is stdin)")
	r.Choice, r.setFlag, r.done = "approve", "set", "approved"
	k.replying(c, &r)
	return c
}

func (k *Kit) reject() *cobra.Command {
	var r reply
	c := &cobra.Command{
		Use:   "reject ASK",
		Short: "Reject the version that an ask is about",
		Long: `Rejects exactly the version that the ask shows. The reason is carried into the next attempt.

` + exits(0, 2, 3, 4, 5, 6),
		Example: `  sluice reject a1b2c3 --reason "the opening hours are missing" --run`,
	}
	r.Choice, r.done = "reject", "rejected"
	k.replying(c, &r)
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		return k.askFor(c.Context(), &r.Reason, question{text: "What is wrong with it? The next attempt works from it."},
			wrongUse(c, "--reason", "sluice reject needs --reason TEXT; the next attempt works from it"))
	}
	return c
}

func (k *Kit) answer() *cobra.Command {
	var r reply
	c := &cobra.Command{
		Use:   "answer ASK [CHOICE]",
		Short: "Answer questions, supply what is missing, or take a decision",
		Long: `Answers an ask: with one of its options, with answers to its questions (-a), or with content (-f). At a terminal,
what is not given is asked for.

` + exits(0, 2, 3, 4, 5, 6),
		Example: `  sluice answer a1b2c3 go --run
  sluice answer a1b2c3 -a language=de -a length=short
  sluice answer a1b2c3 -f notes.md
  cat notes.md | sluice answer a1b2c3 -f -`,
	}
	c.Flags().StringArrayVarP(&r.set, "answer", "a", nil, "the answer `NAME=VALUE` to a question (repeat for more)")
	c.Flags().StringVarP(&r.file, "file", "f", "", "supply the content of `FILE` (- is stdin)")
	r.setFlag, r.done = "answer", "answered"
	k.replying(c, &r)
	return c
}

func (k *Kit) choose() *cobra.Command {
	var r reply
	c := &cobra.Command{
		Use:   "choose ASK [VARIANT]",
		Short: "Choose one of several variants",
		Long: `Approves the version that the ask shows with one of its variants. At a terminal, a variant that is
not given is asked for.

` + exits(0, 2, 3, 4, 5, 6),
		Example: "  sluice choose a1b2c3 B --run",
	}
	r.done = "chosen"
	k.replying(c, &r)
	return c
}

// replying gives a command what all answers share.
func (k *Kit) replying(c *cobra.Command, r *reply) {
	c.Args = fitUse
	c.Flags().StringVar(&r.digest, "digest", "", "`DIGEST` of the version you mean, as the inbox shows it; refused if the ask is about another")
	c.Flags().StringVar(&r.Reason, "reason", "", "`TEXT` that says why, for the record")
	c.Flags().BoolVar(&r.Run, "run", false, "let the run go on afterwards")
	c.RunE = func(c *cobra.Command, args []string) error {
		r.Ask = args[0]
		if len(args) > 1 {
			r.Choice = args[1]
		}
		var err error
		if r.Set, err = pairs(c, r.setFlag, r.set); err != nil {
			return err
		}
		if r.file != "" {
			if r.Content, err = k.content(c, r.file); err != nil {
				return err
			}
		}
		isOpen := r.Choice == "" && len(r.Set) == 0 && r.file == ""
		if isOpen && c.Name() == "choose" && !k.canAsk() {
			return wrongUse(c, "VARIANT", "sluice choose needs VARIANT")
		}
		return k.With(c.Context(), func(a *app.App) error {
			if isOpen && k.canAsk() {
				return k.answerTalking(c.Context(), a, r)
			}
			if r.Digest, err = meantDigest(c.Context(), a, r.Ask, r.digest); err != nil {
				return err
			}
			d, err := a.Answer(c.Context(), r.Reply)
			if r.Run {
				return k.PrintDriven(d, err)
			}
			return k.PrintRecorded(r.done, d, err)
		})
	}
}

// answerTalking asks for an answer until one is taken.
func (k *Kit) answerTalking(ctx context.Context, a *app.App, r *reply) error {
	for {
		given := *r
		if err := k.askReply(ctx, a, &given); err != nil {
			return err
		}
		if r.digest != "" { // a version that was named is held to
			var err error
			if given.Digest, err = meantDigest(ctx, a, r.Ask, r.digest); err != nil {
				return err
			}
		}
		d, err := a.Answer(ctx, given.Reply)
		if fault.CodeOf(err) == fault.BadValue {
			k.prompt().say("  " + fault.From(err).Error())
			continue
		}
		if r.Run {
			return k.PrintDriven(d, err)
		}
		return k.PrintRecorded(r.done, d, err)
	}
}

// maxContent bounds what a person supplies in one answer.
const maxContent = 64 << 20

// content reads what a person supplies: a file, or stdin.
func (k *Kit) content(c *cobra.Command, name string) ([]byte, error) {
	var in io.Reader = k.env.Stdin
	if name != "-" {
		f, err := os.Open(k.absolute(name))
		if err != nil {
			return nil, unreadable(c, name, err)
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxContent+1))
	switch {
	case err != nil:
		return nil, unreadable(c, name, err)
	case len(body) > maxContent:
		return nil, fault.New(fault.BadValue, name, "%s has more than %s", name, bytesText(maxContent)).With(help(c))
	}
	if body == nil {
		body = []byte{}
	}
	return body, nil
}

// unreadable says why a file that a person named cannot be read, without naming it twice.
func unreadable(c *cobra.Command, name string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fault.Wrap(fault.BadValue, name, err, "file %s cannot be read", name).With(help(c))
}

// meantDigest completes the short digest of an inbox. One that the ask does not show is refused as a stale verdict.
func meantDigest(ctx context.Context, a *app.App, ask, short string) (digest.Digest, error) {
	if short == "" {
		return "", nil
	}
	if d, err := digest.Parse(short); err == nil {
		return d, nil
	}
	box, err := a.Inbox(ctx, "")
	if err != nil {
		return "", err
	}
	for _, open := range box.Asks {
		hex := strings.TrimPrefix(short, "sha256:")
		if !strings.HasPrefix(open.Ask, ask) {
			continue
		}
		if len(hex) >= 6 && strings.HasPrefix(open.Digest.Hex(), hex) {
			return open.Digest, nil
		}
		return "", fault.New(fault.StaleVerdict, open.Ask, "ask %s is about %s, not about %s", open.Ask, open.Digest.Short(), short).
			With(fault.Action{Action: "inbox", Command: "sluice inbox " + open.Run, Why: "it shows what stands now"})
	}
	return "", nil // the verb says that there is no such ask, or who answered it
}
