package bookfile

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"

	"sluice/internal/fault"
)

// cover is a picture by its own bytes, whatever its file was called.
type cover struct {
	file, media string
	width       int
	height      int
}

func coverOf(raw []byte) (cover, error) {
	kinds := []struct {
		file, media string
		magic       string
		read        func(r *bytes.Reader) (image.Config, error)
	}{
		{"cover.png", "image/png", "\x89PNG\r\n\x1a\n", func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) }},
		{"cover.jpg", "image/jpeg", "\xff\xd8\xff", func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) }},
	}
	for _, k := range kinds {
		if !bytes.HasPrefix(raw, []byte(k.magic)) {
			continue
		}
		c, err := k.read(bytes.NewReader(raw))
		if err != nil || c.Width < 1 || c.Height < 1 {
			return cover{}, fault.New(fault.BadValue, "cover", "cover begins like %s and cannot be read as one", k.media)
		}
		return cover{k.file, k.media, c.Width, c.Height}, nil
	}
	return cover{}, fault.New(fault.BadValue, "cover", "cover is neither a PNG nor a JPEG picture")
}
