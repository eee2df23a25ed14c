//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// setGroup gives a command a process group of its own, so that what it starts
// can be interrupted with it.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func interruptGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
