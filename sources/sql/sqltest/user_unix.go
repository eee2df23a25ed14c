//go:build unix

package sqltest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// Database servers refuse to run as root; as root they run as their own user.

func giveTo(name, dir string) error {
	uid, gid, ok := lookup(name)
	if !ok {
		return nil
	}
	return os.Chown(dir, int(uid), int(gid))
}

func as(name string, cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithUs(cmd.SysProcAttr)
	if uid, gid, ok := lookup(name); ok {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
		cmd.Dir = "/"
	}
	return cmd
}

func lookup(name string) (uid, gid uint32, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	u, err := user.Lookup(name)
	if err != nil {
		return 0, 0, false
	}
	id, err1 := strconv.ParseUint(u.Uid, 10, 32)
	group, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return uint32(id), uint32(group), err1 == nil && err2 == nil
}
