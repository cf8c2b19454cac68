// Package prompt owns the rendering of prompts: strict templates beside the code of a line, and the fence that keeps
// text from outside from passing for an instruction. It must not know models or lines.
package prompt
