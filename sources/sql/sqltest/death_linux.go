package sqltest

import "syscall"

// dieWithUs ends the server when the test is killed and cannot do it itself.
func dieWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
