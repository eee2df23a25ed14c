package file

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/mcpdecl/mcpdecl/sources"
)

// maxLinks is how many links one name may lead over.
const maxLinks = 40

// place is where a name leads.
type place struct {
	// name is the path as the file system spells it, links as they are called:
	// what patterns match and what lists show.
	name string
	// real is the path with all links followed.
	real string
	info fs.FileInfo // of a regular file
}

// find follows a path from the root. Only a regular file is found, and none
// that is hidden by a component of its path or of a link's target. The error
// is sources.ErrNotFound or a failure to look.
func (v *view) find(ctx context.Context, name string) (place, error) {
	if !validName(name) {
		return place{}, sources.ErrNotFound
	}
	f := finder{view: v, ctx: ctx}
	for i, c := range strings.Split(name, "/") {
		if f.info != nil && !f.info.IsDir() {
			return place{}, sources.ErrNotFound
		}
		own, err := f.step(c)
		if err != nil {
			return place{}, f.failed(name, err)
		}
		if i > 0 {
			f.name += "/"
		}
		f.name += own
	}
	if !f.info.Mode().IsRegular() {
		return place{}, sources.ErrNotFound
	}
	return place{f.name, f.real, f.info}, nil
}

// finder is one run of find.
type finder struct {
	view  *view
	ctx   context.Context
	name  string
	real  string      // "" is the root
	info  fs.FileInfo // of real; nil at the root
	links int
}

func (f *finder) failed(name string, err error) error {
	if err == sources.ErrNotFound || missing(err) {
		return sources.ErrNotFound
	}
	return fmt.Errorf("look up %q: %w", name, cause(err))
}

// step goes on to one component below real and returns its own spelling.
func (f *finder) step(component string) (string, error) {
	if hiddenName(component) && !f.view.settings.hidden {
		return "", sources.ErrNotFound
	}
	next := path.Join(f.real, component)
	info, err := f.view.tree.lstat(next)
	if err != nil && missing(err) && !isASCII(component) {
		if component, err = f.otherForm(component); err != nil {
			return "", err
		}
		next = path.Join(f.real, component)
		info, err = f.view.tree.lstat(next)
	}
	if err != nil {
		return "", err
	}
	if hiddenByAttribute(info) && !f.view.settings.hidden {
		return "", sources.ErrNotFound
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return component, f.follow(next)
	}
	f.real, f.info = next, info
	return component, nil
}

// follow goes where a link leads. Its components are held against the same
// rules as those of the name.
func (f *finder) follow(link string) error {
	if f.links++; f.links > maxLinks {
		return sources.ErrNotFound
	}
	target, err := f.view.tree.readlink(link)
	if err != nil {
		return err
	}
	if windowsNames {
		target = strings.ReplaceAll(target, `\`, "/")
	}
	if strings.HasPrefix(target, "/") || windowsNames && strings.Contains(target, ":") {
		return sources.ErrNotFound // os.Root would refuse it too, wherever it leads
	}
	f.info = nil
	for c := range strings.SplitSeq(target, "/") {
		if f.info != nil && !f.info.IsDir() {
			return sources.ErrNotFound
		}
		switch c {
		case "", ".":
		case "..":
			if f.real == "" {
				return sources.ErrNotFound
			}
			if f.real = path.Dir(f.real); f.real == "." {
				f.real = ""
			}
			f.info = nil
		default:
			if _, err := f.step(c); err != nil {
				return err
			}
		}
	}
	return f.arrived()
}

// arrived looks at where ".." led to.
func (f *finder) arrived() (err error) {
	if f.info != nil {
		return nil
	}
	name := f.real
	if name == "" {
		name = "."
	}
	f.info, err = f.view.tree.lstat(name)
	return err
}

// otherForm finds the one entry whose name differs from a component in its
// Unicode normal form only.
func (f *finder) otherForm(component string) (string, error) {
	entries, err := f.view.readDir(f.ctx, f.real)
	if err != nil {
		return "", err
	}
	found, want := "", composed(component)
	for _, e := range entries {
		if isASCII(e.name) || composed(e.name) != want {
			continue
		}
		if found != "" {
			return "", sources.ErrNotFound // which one is meant cannot be told
		}
		found = e.name
	}
	if found == "" {
		return "", sources.ErrNotFound
	}
	return found, nil
}

// open opens a file that find found. A file that is replaced in between, as
// editors do, is looked up again.
func (v *view) open(ctx context.Context, name string) (place, *handle, error) {
	for try := 0; ; try++ {
		p, err := v.find(ctx, name)
		if err != nil {
			return place{}, nil, err
		}
		h, err := v.tree.open(p.real, p.info)
		switch {
		case err == nil:
			p.info = h.info
			return p, h, nil
		case missing(err) || err == errSwapped && try < 3:
			if try < 3 {
				continue
			}
			return place{}, nil, sources.ErrNotFound
		}
		return place{}, nil, fmt.Errorf("open %q: %w", p.name, cause(err))
	}
}
