//go:build !unix

package sqltest

import "os/exec"

func giveTo(string, string) error { return nil }

func as(_ string, cmd *exec.Cmd) *exec.Cmd { return cmd }
