//go:build unix

package e2e

import (
	"encoding/binary"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHostileFiles clones workspaces whose files are not what they should be: links to the user's own, pipes that nobody writes
// to, folders, damage. Each is refused or lived with, and told of.
func TestHostileFiles(t *testing.T) {
	from := stranger(t)
	const endless = "CREATE TRIGGER evil BEFORE INSERT ON batch BEGIN SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n); END"
	today := func() []string {
		now := time.Now().UTC()
		return []string{now.Format("20060102"), now.Add(time.Hour).Format("20060102")}
	}
	for name, tt := range map[string]struct {
		do   func(c *clone)
		says string
	}{
		"settings linked to a secret": {func(c *clone) { c.link("sluice.yaml", c.home+"/.ssh/id_rsa") }, "no plain file"},
		"settings that are a pipe":    {func(c *clone) { c.pipe("sluice.yaml") }, "unknown_workspace"},
		"settings that are a folder":  {func(c *clone) { c.folder("sluice.yaml") }, "unknown_workspace"},
		"settings of a gigabyte":      {func(c *clone) { c.sparse("sluice.yaml", 1<<30) }, "settings have at most"},
		"a private folder elsewhere":  {func(c *clone) { c.link(".sluice", c.home+"/data") }, ".sluice in"},

		"a store elsewhere":           {func(c *clone) { c.link(".sluice/sluice.db", c.home+"/precious") }, "is a symbolic link"},
		"a store that is a pipe":      {func(c *clone) { c.pipe(".sluice/sluice.db") }, "is a named pipe"},
		"a store that is a folder":    {func(c *clone) { c.folder(".sluice/sluice.db") }, "store_corrupt"},
		"a log of writes elsewhere":   {func(c *clone) { c.link(".sluice/sluice.db-wal", c.home+"/.bashrc") }, "is a symbolic link"},
		"a journal that names a file": {func(c *clone) { c.put(c.at(".sluice/sluice.db-journal"), superJournal(c.home+"/precious")) }, "names another file"},
		"a huge log of writes":        {func(c *clone) { c.sparse(".sluice/sluice.db-wal", 4<<30) }, ""},
		"half a store":                {func(c *clone) { c.cut(0.5) }, "store_corrupt"},
		"a cut store":                 {func(c *clone) { c.cut(0.01) }, ""},
		"garbage for a store":         {func(c *clone) { c.put(c.at(".sluice/sluice.db"), strings.Repeat("garbage ", 1<<14)) }, "store_corrupt"},
		"a store of zeros":            {func(c *clone) { c.sparse(".sluice/sluice.db", 1<<20) }, "store_corrupt"},
		"a lock that is a folder":     {func(c *clone) { c.folder(".sluice/checkout.lock") }, ""},
		"a lock that is a pipe":       {func(c *clone) { c.pipe(".sluice/checkout.lock") }, "is a named pipe"},
		"a lock elsewhere":            {func(c *clone) { c.link(".sluice/checkout.lock", c.home+"/new") }, "is a symbolic link"},
		"a driver that is a pipe":     {func(c *clone) { c.sql("UPDATE run SET driver = 'abcdef'"); c.pipe(".sluice/driver-abcdef.lock") }, "is a named pipe"},
		"a driver that is a folder":   {func(c *clone) { c.sql("UPDATE run SET driver = 'abcdef'"); c.folder(".sluice/driver-abcdef.lock") }, ""},
		"a driver by path":            {func(c *clone) { c.sql("UPDATE run SET driver = '../../x'") }, "no name of a driver"},
		"a socket":                    {func(c *clone) { c.socket(".sluice/s") }, "is a socket"},
		"contents elsewhere":          {func(c *clone) { c.link(".sluice/blobs", c.home+"/data") }, "is a symbolic link"},
		"a content without end":       {func(c *clone) { c.eachBlob(func(name string) { c.link(name, "/dev/zero") }) }, ""},
		"a content that is a pipe":    {func(c *clone) { c.eachBlob(c.pipe) }, ""},
		"a content of gigabytes":      {func(c *clone) { c.eachBlob(func(name string) { c.sparse(name, 8<<30) }) }, ""},
		"a daily log elsewhere": {func(c *clone) {
			for _, day := range today() {
				c.link(".sluice/log/sluice-"+day+".log", c.home+"/.bashrc")
			}
		}, "is a symbolic link"},
		"a daily log that is a pipe": {func(c *clone) {
			for _, day := range today() {
				c.pipe(".sluice/log/sluice-" + day + ".log")
			}
		}, "is a named pipe"},
		"logs elsewhere": {func(c *clone) { c.link(".sluice/log", c.home+"/data") }, "is a symbolic link"},

		"work elsewhere":                  {func(c *clone) { c.link("sample", c.home+"/data") }, "symbolic link"},
		"a text linked to a secret":       {func(c *clone) { c.link("sample/r1/text.md", c.home+"/.ssh/id_rsa") }, "symbolic link"},
		"a text linked to git's settings": {func(c *clone) { c.put(c.at(".git/config"), planted); c.link("sample/r1/text.md", "../../.git/config") }, "symbolic link"},
		"git's settings as a text":        {func(c *clone) { c.put(c.at(".git/config"), planted); c.row(".git/config") }, "belongs to Sluice or git"},
		"a text that is a pipe":           {func(c *clone) { c.pipe("sample/r1/text.md") }, "regular file"},
		"a text that is a folder":         {func(c *clone) { c.folder("sample/r1/text.md") }, ""},
		"a text without end":              {func(c *clone) { c.link("sample/r1/text.md", "/dev/zero") }, "symbolic link"},
		"a text of gigabytes":             {func(c *clone) { c.sparse("sample/r1/text.md", 8<<30) }, ""},

		"a trigger": {func(c *clone) { c.sql(endless) }, "that no sluice made"},
		"a table without end": {func(c *clone) {
			c.sql("DROP TABLE counter", "CREATE VIEW counter AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT '' name, i last FROM n")
		}, "that no sluice made"},
		"a view of somebody's":        {func(c *clone) { c.sql("CREATE VIEW mine AS SELECT id FROM run") }, "is parked"},
		"a table that is not there":   {func(c *clone) { c.sql("DROP TABLE checkout") }, "lacks a part of its schema"},
		"a newer schema":              {func(c *clone) { c.sql("INSERT INTO schema_version (version_id, is_applied) VALUES (999, 1)") }, "store_newer"},
		"a file to write outside":     {func(c *clone) { c.row("../../evil") }, "leads out of its directory"},
		"a file to write at the root": {func(c *clone) { c.row("/tmp/sluice-evil-" + planted[8:]) }, "is absolute"},
		"a hook to write":             {func(c *clone) { c.row(".git/hooks/post-commit") }, "belongs to Sluice or git"},
		"settings to write":           {func(c *clone) { c.row("sluice.yaml") }, "belongs to Sluice or git"},
		"names with commands": {func(c *clone) {
			c.sql("UPDATE run SET title = char(27)||']0;owned'||char(7), status = char(27)||'[2J'", "UPDATE ask SET title = char(27)||'[31m'")
		}, `\x1b`},
		"events that nobody knows": {func(c *clone) {
			c.sql(`UPDATE batch SET events = '[{"type":"evil","path":"/etc/passwd"}]'`, "DELETE FROM fold")
		}, ""},
		"events that are no JSON": {func(c *clone) { c.sql(`UPDATE batch SET events = '[[[['`, "DELETE FROM fold") }, ""},
		"events nested deep": {func(c *clone) {
			c.sql(`UPDATE batch SET events = replace(hex(zeroblob(4000000)), '0', '[')`, "DELETE FROM fold")
		}, ""},
		"a fold that is a lie":  {func(c *clone) { c.sql(`UPDATE fold SET state = x'7affffffffff1f00'`) }, ""},
		"contents that explode": {func(c *clone) { c.sql(`UPDATE batch SET bytes = x'7affffffffff1f00' WHERE bytes IS NOT NULL`) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t, from)
			tt.do(c)
			wantAll(t, c.visit(), tt.says)
			if _, err := os.Lstat(filepath.Join(c.dir, ".git", "hooks")); err == nil {
				t.Error("a hook was written")
			}
			if _, err := os.Lstat("/tmp/sluice-evil-" + planted[8:]); err == nil {
				t.Error("a file was written at the root")
			}
		})
	}
}

// superJournal is a rollback journal that names another file, as one of several journals of a transaction would.
func superJournal(victim string) string {
	magic := []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}
	head := make([]byte, 512)
	copy(head, magic)
	for i, n := range []uint32{0, 1, 1, 512, 4096} { // records, nonce, pages, sector, page
		binary.BigEndian.PutUint32(head[8+4*i:], n)
	}
	sum := uint32(0)
	for _, b := range []byte(victim) {
		sum += uint32(int8(b))
	}
	out := binary.BigEndian.AppendUint32(head, 0x40000000/4096+1)
	out = append(out, victim...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(victim)))
	out = binary.BigEndian.AppendUint32(out, sum)
	return string(append(out, magic...))
}

// cut keeps a part of the store.
func (c *clone) cut(part float64) {
	c.t.Helper()
	file := filepath.Join(c.dir, ".sluice", "sluice.db")
	info, err := os.Stat(file)
	if err == nil {
		err = os.Truncate(file, int64(float64(info.Size())*part))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *clone) socket(name string) {
	c.t.Helper()
	short, err := os.MkdirTemp("", "s") // names of sockets are short
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { os.RemoveAll(short) })
	l, err := net.Listen("unix", filepath.Join(short, "s"))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { l.Close() })
	if err := os.Rename(filepath.Join(short, "s"), c.at(name)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clone) eachBlob(do func(name string)) {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join(c.dir, ".sluice", "blobs", "*", "*"))
	if err != nil || len(files) == 0 {
		c.t.Fatalf("%d contents, %v", len(files), err)
	}
	for _, f := range files {
		rel, err := filepath.Rel(c.dir, f)
		if err != nil {
			c.t.Fatal(err)
		}
		do(rel)
	}
}

// row plants a file that is to be written, with contents that are in the store.
func (c *clone) row(path string) {
	c.t.Helper()
	c.sql("UPDATE checkout SET path = '" + path + "', written = 0 WHERE path = 'sample/r1/text.md'")
}
