package file

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpdecl/mcpdecl/sources"
)

// Paths come in the order of a walk: the entries of a directory by the bytes of
// their names, what is in a directory in the place of its name. A position in
// this order is a path, and stays one when files come and go.

// errStop ends a walk without a failure.
var errStop = errors.New("stop")

// walker visits the names of files below a root, in order.
type walker struct {
	view *view
	ctx  context.Context
	// within are patterns that the files have to match; directories that cannot
	// hold matches of all of them are not read.
	within []pattern
	// matches are those of within that a name has to match as a whole.
	matches []pattern
	// visit gets the path of every regular file and of every link; the walk
	// does not follow links to directories.
	visit func(name string) error
	// budget is how many entries may be looked at; last is the last one that was,
	// once it is used up.
	budget int
	last   string
	// blind counts the directories that could not be read, first is why.
	blind int
	first error
}

// errBudget ends a walk whose budget is used up.
var errBudget = errors.New("too many names were looked at")

// walk visits what lies behind the position after; "" is the start.
func (w *walker) walk(after string) error {
	var behind []string
	if after != "" {
		behind = strings.Split(after, "/")
	}
	err := w.dir("", behind)
	if err == errStop {
		return nil
	}
	return err
}

func (w *walker) dir(dir string, behind []string) error {
	entries, err := w.view.readDir(w.ctx, dir)
	if err != nil {
		return w.unreadable(dir, err)
	}
	start := 0
	if len(behind) > 0 {
		start, _ = slices.BinarySearchFunc(entries, behind[0], compareNames)
	}
	for _, e := range entries[start:] {
		var rest []string
		if len(behind) > 0 && e.name == behind[0] {
			if rest = behind[1:]; len(rest) == 0 && !e.isDir() {
				continue // the position itself
			}
		}
		if err := w.entry(dir, e, rest); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(dir string, e dirEntry, behind []string) error {
	if w.budget--; w.budget%256 == 0 {
		if err := w.ctx.Err(); err != nil {
			return err
		}
	}
	if hiddenName(e.name) && !w.view.settings.hidden {
		return nil
	}
	name := e.name
	if dir != "" {
		name = dir + "/" + e.name
	}
	if e.isDir() {
		for _, p := range w.within {
			if !p.mayHold(name) {
				return nil
			}
		}
		return w.dir(name, behind)
	}
	if w.budget <= 0 {
		w.last = name
	}
	if regular(e.typ) && w.all(name) {
		if err := w.visit(name); err != nil {
			return err
		}
	}
	if w.budget <= 0 {
		return errBudget
	}
	return nil
}

func (w *walker) all(name string) bool {
	for _, p := range w.matches {
		if !p.matches(name) {
			return false
		}
	}
	return true
}

// unreadable notes a directory that cannot be read: what else there is can be
// read nevertheless. A directory that is gone is none.
func (w *walker) unreadable(dir string, err error) error {
	if ctxErr := w.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	err = fmt.Errorf("list directory %q: %w", dir, cause(err))
	if dir == "" {
		return err
	}
	if !missing(err) {
		if w.blind++; w.first == nil {
			w.first = err
		}
	}
	return nil
}

// report logs what could not be read.
func (w *walker) report() {
	if w.blind > 0 {
		w.view.host.Log.WarnContext(w.ctx, "some directories cannot be read and are left out",
			"connection", w.view.title(), "directories", w.blind, "first", w.first)
	}
}

// glob finds the files that match a pattern, and whether there are more than
// max.
func (v *view) glob(ctx context.Context, p pattern, max int) (found []place, more bool, err error) {
	w := &walker{view: v, ctx: ctx, within: []pattern{p}, matches: []pattern{p}, budget: maxVisited}
	w.visit = func(name string) error {
		at, err := v.find(ctx, name)
		switch {
		case err == sources.ErrNotFound: // a link that leads nowhere, or a file that is gone
			return nil
		case err != nil:
			return err
		case len(found) == max:
			more = true
			return errStop
		}
		found = append(found, at)
		return nil
	}
	if err := w.walk(""); err != nil {
		return nil, false, err
	}
	w.report()
	return found, more, nil
}
