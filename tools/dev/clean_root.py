# SPDX-License-Identifier: BSD-3-Clause
"""A Debian in a folder with nothing in it but what every Debian has: no compiler, no MPI, no Python."""
import os, shlex, shutil, subprocess

from . import needs
from .steps import Failed, run

MAKE_LIMIT, RUN_LIMIT = 600, 600  # seconds
# Kept by programs that run in the root, or listings of what is installed.
CHANGING = ("var/cache", "var/lib/apt", "var/lib/dpkg", "var/log", "tmp", "proc", "dev", "run")


def release():
    with open("/etc/os-release") as f:
        fields = dict(line.rstrip("\n").split("=", 1) for line in f if "=" in line)
    return fields.get("VERSION_CODENAME", "").strip('"')


def mirror(codename):
    """The address that this machine has packages of the release from, or "" for debootstrap's own choice."""
    said = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)|$(RELEASE)|$(COMPONENT)", "Created-By: Packages"],
                          capture_output=True, text=True, timeout=60).stdout
    rows = [line.split("|") for line in said.splitlines()]
    return next((row[0] for row in rows if row[1:] == [codename, "main"]), "")


def impossible():
    """Why there can be no such root on this machine, or nothing."""
    if os.geteuid() != 0:
        return "only root can make one"
    if not needs.program("debootstrap"):
        return "there is no debootstrap (./dev doctor says how to get it)"
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "true"], capture_output=True).returncode != 0:
        return "this machine lets nobody make a mount namespace"
    return ""


class CleanRoot:
    def __init__(self, folder):
        self.folder = folder

    def make(self):
        """Anew each time: what an earlier run has left is no longer clean."""
        shutil.rmtree(self.folder, ignore_errors=True)
        codename = release()
        command = ["debootstrap", "--variant=minbase", codename, self.folder]
        run("clean root: debootstrap", command + ([mirror(codename)] if mirror(codename) else []), MAKE_LIMIT)
        proxies = subprocess.run(["apt-config", "dump", "Acquire"], capture_output=True, text=True, timeout=60).stdout
        (self.folder / "etc/apt/apt.conf.d/host").write_text("".join(
            line + "\n" for line in proxies.splitlines() if "::proxy" in line.lower()))
        self.run("apt-get update", "apt-get -q update")

    def run(self, title, command, environment=()):
        """Runs a line of a shell in the root, and returns what it said.  Its mounts and processes end with it."""
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                     "DEBIAN_FRONTEND": "noninteractive", **dict(environment)}
        root = shlex.quote(str(self.folder))
        line = (f"mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev && exec chroot {root} env -i "
                + " ".join(shlex.quote(f"{name}={value}") for name, value in variables.items()) + " sh -ec " + shlex.quote(command))
        log = run(f"clean root: {title}", ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", line], RUN_LIMIT)
        return log.read_text(errors="replace")

    def state(self):
        """Packages, and files other than those that change by themselves."""
        packages = subprocess.run(["dpkg-query", f"--admindir={self.folder}/var/lib/dpkg", "-W"], capture_output=True, text=True,
                                  check=True, timeout=60).stdout.split("\n")
        files = set()
        for folder, folders, names in os.walk(self.folder):
            here = os.path.relpath(folder, self.folder)
            folders[:] = [name for name in folders if os.path.normpath(os.path.join(here, name)) not in CHANGING]
            files.update(os.path.normpath(os.path.join(here, name)) for name in names)
        return set(packages), files

    def differences(self, before):
        """What has come since `before`, a state: packages, and files of Laconic."""
        packages, files = self.state()
        return sorted(packages - before[0]) + sorted(name for name in files - before[1] if "laconic" in name.lower())


def check(condition, said):
    if not condition:
        raise Failed(said)
