//go:build !unix

package main

import "os/exec"

func setGroup(*exec.Cmd) {}

func interruptGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
