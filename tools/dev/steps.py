# SPDX-License-Identifier: BSD-3-Clause
"""Running commands: with a time limit, a log file, and a sign of life while they work."""
import os, pathlib, re, shlex, signal, subprocess, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATE = ROOT / ".dev"  # all that ./dev keeps, besides build/
SIGN_OF_LIFE = 20  # seconds


class Failed(Exception):
    """A step failed; the message says which, why and where its log is."""


def say(text):
    print(text, flush=True)


def tail(path, lines=40):
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])


def run(title, command, limit, env=None, cwd=ROOT, show=False):
    """Runs a step and returns the path of its log. Raises Failed, with the end of the log, if it fails or takes too long."""
    logs = STATE / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / (re.sub(r"\W+", "-", title).strip("-") + ".log")
    command = [str(word) for word in command]
    begin = time.monotonic()
    say(f"-- {title} ...")
    with open(log, "w") as out:
        out.write("+ " + shlex.join(command) + "\n")
        out.flush()
        try:
            process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=None if show else out,
                                       stderr=None if show else subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            raise Failed(f"{title}: {error}") from None
        try:
            done = wait(process, limit, title, None if show else log)
        except BaseException:
            stop(process)
            raise
    seconds = time.monotonic() - begin
    if not done:
        raise Failed(f"{title}: still running after {limit} s\n{tail(log)}\n(all of it: {log.relative_to(ROOT)})")
    if process.returncode != 0:
        raise Failed(f"{title}: exit code {process.returncode}\n{tail(log)}\n(all of it: {log.relative_to(ROOT)})")
    say(f"   {title}: done in {seconds:.0f} s")
    return log


def wait(process, limit, title, log):
    begin = time.monotonic()
    while True:
        left = limit - (time.monotonic() - begin)
        if left <= 0:
            stop(process)
            return False
        try:
            process.wait(min(SIGN_OF_LIFE, left))
            return True
        except subprocess.TimeoutExpired:
            if log:
                last = tail(log, 1).strip()
                say(f"   {title}: {time.monotonic() - begin:.0f} s, {last[:100]}")


def stop(process):
    """Asks first: launchers of ranks pass the request on."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(5)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            pass
