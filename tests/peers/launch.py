"""Runs one command and prints its processor seconds, the MiB of its largest process, and whether it ended in time, as JSON.

    python -I -S launch.py SECONDS ANSWER COMMAND...

A program of its own, and small, since a process inherits the peak of the one that starts it. Must import nothing that is not needed.
"""
import json
import os
import signal
import sys
import time

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux: what a careless parent leaves behind is waited for here.


def run(limit: float, answer: str, command: list[str]) -> dict[str, float | bool]:
    child = os.fork()
    if child == 0:
        os.setsid()
        out = os.open(answer, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(out, 1)
        os.dup2(nothing, 2)
        os.execvp(command[0], command)
    seconds, peak, in_time, end = 0.0, 0, True, time.monotonic() + limit
    while True:
        try:
            pid, _, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return {"seconds": seconds, "mebibytes": peak / 1024, "in_time": in_time}
        if pid:
            seconds, peak = seconds + usage.ru_utime + usage.ru_stime, max(peak, usage.ru_maxrss)
            continue
        if in_time and time.monotonic() > end:
            in_time = False
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.005)


if __name__ == "__main__":
    import _ctypes  # The smallest way to a system call; `ctypes` itself would cost a MiB.
    _ctypes.call_function(_ctypes.dlsym(_ctypes.dlopen(None, 2), "prctl"), (SUBREAPER, 1, 0, 0, 0))
    print(json.dumps(run(float(sys.argv[1]), sys.argv[2], sys.argv[3:])))
