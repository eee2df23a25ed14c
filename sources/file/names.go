package file

import (
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// hiddenName reports whether a component of a path is hidden by its name.
func hiddenName(component string) bool { return strings.HasPrefix(component, ".") }

// validName reports whether a path can name a file below the root: slashes
// between components, no component empty, "." or "..".
func validName(name string) bool {
	if name == "." || strings.IndexByte(name, 0) >= 0 || !validPath(name) {
		return false
	}
	return !windowsNames || validOnWindows(name)
}

// validPath is fs.ValidPath without its rule that names are UTF-8.
func validPath(name string) bool {
	for c := range strings.SplitSeq(name, "/") {
		if c == "" || c == "." || c == ".." {
			return false
		}
	}
	return true
}

// validOnWindows refuses what the Windows API takes for another name than it
// looks: other separators, drives and streams, devices, trailing dots and
// spaces, and short names, under which ".git" is "GIT~1".
func validOnWindows(name string) bool {
	if strings.ContainsAny(name, `\:*?"<>|`) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return false
	}
	for c := range strings.SplitSeq(name, "/") {
		if strings.HasSuffix(c, ".") || strings.HasSuffix(c, " ") || isDevice(c) || isShortName(c) {
			return false
		}
	}
	return true
}

// isDevice knows the reserved names, also with an extension.
func isDevice(component string) bool {
	base, _, _ := strings.Cut(component, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(base, port); ok && slices.Contains(portNumbers, n) {
			return true
		}
	}
	return false
}

// portNumbers has the superscripts, which Windows takes for digits here.
var portNumbers = []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"}

// isShortName reports whether a component has the form of an 8.3 name that
// stands for a longer one.
func isShortName(component string) bool {
	base, ext, _ := strings.Cut(component, ".")
	i := strings.LastIndexByte(base, '~')
	return i > 0 && len(base) <= 8 && len(ext) <= 3 && i+1 < len(base) && strings.Trim(base[i+1:], "0123456789") == ""
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// composed is the form in which patterns and names are compared.
func composed(s string) string {
	if isASCII(s) {
		return s
	}
	return norm.NFC.String(s)
}

// regular reports whether a directory entry may be a file that can be read:
// a regular one, or a link that may lead to one.
func regular(mode fs.FileMode) bool { return mode.IsRegular() || mode&fs.ModeSymlink != 0 }
