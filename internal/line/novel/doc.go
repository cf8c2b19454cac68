// Package novel is the line that writes books: from a premise to world, theme, cast and outline, then chapter by chapter
// a plan, scenes, the chapter, and what keeps it honest: memory, consistency, logic review and revisions. It owns nodes,
// steps, files, the pending gate and the stage of each chapter; what a document holds is story's. It must not know stores,
// models or doors.
package novel
