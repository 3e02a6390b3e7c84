//! Ways out that are tried, in Python, as it reaches every system call.

/// What all attempts know. `OUT` is a folder outside, `SCOPE` their own, `TOP` the one above both.
pub(crate) const PRELUDE: &str = r#"
import ctypes, glob, mmap, os, platform, pwd, resource, signal, socket, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
X = platform.machine() == "x86_64"
AT = -100
def number(x86, others): return x86 if X else others
def call(*a):
    return libc.syscall(*[ctypes.c_long(x) if isinstance(x, int) else x for x in a])
def got(): open(SCOPE + "/got", "w").close()
def keep(text): open(SCOPE + "/loot", "w").write(text)
def b(text): return text.encode()
LATE = [sys.executable, "-c", "import time\ntime.sleep(1.5)\nopen(%r, 'w').write('late')\ntime.sleep(300)" % (SCOPE + "/got"), MARK]
"#;

/// A way out.
pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    pub(crate) code: &'static str,
    /// Whether it must come through without a fence, which shows that the judge sees it.
    pub(crate) comes_through: bool,
    /// Whether the account must be able to have a view of the file systems of its own.
    pub(crate) needs_view: bool,
}

const fn open(name: &'static str, code: &'static str) -> Attempt {
    Attempt { name, code, comes_through: true, needs_view: false }
}

/// One that is not tried without a fence: it needs rights that not everybody has, or would harm this machine.
const fn only_inside(name: &'static str, code: &'static str) -> Attempt {
    Attempt { name, code, comes_through: false, needs_view: false }
}

/// One that changes what Landlock has no right for.
const fn about(name: &'static str, code: &'static str) -> Attempt {
    Attempt { name, code, comes_through: true, needs_view: true }
}

/// See [`about`] and [`only_inside`].
const fn about_inside(name: &'static str, code: &'static str) -> Attempt {
    Attempt { name, code, comes_through: false, needs_view: true }
}

pub(crate) const ATTEMPTS: &[Attempt] = &[
    // Files outside.
    open("make a file", "open(OUT + '/new', 'w').write('x')"),
    open("append to a file", "open(OUT + '/kept', 'a').write('x')"),
    open("empty a file", "open(OUT + '/kept', 'w').close()"),
    open("cut a file", "os.truncate(OUT + '/kept', 2)"),
    open(
        "write by a mapping",
        "f = open(OUT + '/kept', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:2] = b'XX'; m.flush()",
    ),
    open("remove a file", "os.unlink(OUT + '/kept')"),
    open("rename a file", "os.rename(OUT + '/kept', OUT + '/renamed')"),
    open("move a file out", "os.rename(SCOPE + '/mine', OUT + '/mine')"),
    open("move a file in", "os.rename(OUT + '/kept', SCOPE + '/kept')"),
    open("exchange two files", "call(number(316, 276), AT, b(SCOPE + '/mine'), AT, b(OUT + '/kept'), 2)"),
    open("make a folder", "os.mkdir(OUT + '/folder')"),
    open("remove a folder", "os.rmdir(OUT + '/empty')"),
    open("make a pipe", "os.mkfifo(OUT + '/pipe')"),
    open("make a node", "os.mknod(OUT + '/node')"),
    open("make a link", "os.symlink('/etc/passwd', OUT + '/link')"),
    open("hard link out", "os.link(SCOPE + '/mine', OUT + '/mine')"),
    open(
        "hard link in, and write",
        "os.link(OUT + '/kept', SCOPE + '/in'); open(SCOPE + '/in', 'a').write('x')",
    ),
    open(
        "write through a link",
        "os.symlink(OUT + '/kept', SCOPE + '/l'); open(SCOPE + '/l', 'a').write('x')",
    ),
    open(
        "write through a linked folder",
        "os.symlink(OUT, SCOPE + '/d'); open(SCOPE + '/d/new', 'w').write('x')",
    ),
    open("write by a relative path", "open('../outside/new', 'w').write('x')"),
    open(
        "write by a folder's handle",
        "d = os.open(OUT, os.O_RDONLY); os.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=d)",
    ),
    open(
        "write by a path's handle",
        "p = os.open(OUT + '/kept', os.O_PATH); os.write(os.open('/proc/self/fd/%d' % p, os.O_WRONLY), b'XX')",
    ),
    open("change the folder, then write", "os.chdir(OUT); open('new', 'w').write('x')"),
    only_inside(
        "name a nameless file",
        "f = os.open(OUT, os.O_TMPFILE | os.O_WRONLY); os.link('/proc/self/fd/%d' % f, OUT + '/new', follow_symlinks=True)",
    ),
    open("a shell that writes", "subprocess.run(['sh', '-c', 'echo x > \"$1/new\"', MARK, OUT])"),
    open(
        "a copy of this program",
        "subprocess.run([sys.executable, '-c', 'import sys; open(sys.argv[2] + \"/new\", \"w\")', MARK, OUT])",
    ),
    open(
        "a file in the common folder for passing files",
        "name = '/tmp/engross-' + MARK; open(name, 'w').close(); os.unlink(name); got()",
    ),
    open(
        "a file in shared memory",
        "name = '/dev/shm/engross-' + MARK; open(name, 'w').close(); os.unlink(name); got()",
    ),
    // What a file is, and not what is in it.
    about("change a file's mode", "os.chmod(OUT + '/kept', 0o777)"),
    about("let a file run as its owner", "os.chmod(OUT + '/kept', 0o4755)"),
    about("close a folder", "os.chmod(OUT + '/empty', 0)"),
    about("change a mode by a relative path", "os.chmod('../outside/kept', 0o777)"),
    about(
        "change a mode through a link",
        "os.symlink(OUT + '/kept', SCOPE + '/l'); os.chmod(SCOPE + '/l', 0o777)",
    ),
    about("change a mode by a file's handle", "os.fchmod(os.open(OUT + '/kept', os.O_RDONLY), 0o777)"),
    about("change a mode by a folder's handle", "os.chmod('kept', 0o777, dir_fd=os.open(OUT, os.O_RDONLY))"),
    about(
        "change a mode by a path's handle",
        "os.chmod('/proc/self/fd/%d' % os.open(OUT + '/kept', os.O_PATH), 0o777)",
    ),
    about("change a mode through another's root", "os.chmod('/proc/%d/root%s/kept' % (VICTIM, OUT), 0o777)"),
    about("change a mode through another's folder", "os.chmod('/proc/%d/cwd/kept' % VICTIM, 0o777)"),
    about_inside(
        "change a mode in names of one's own",
        "libc.unshare(0x10000000 | 0x20000); libc.mount(b'none', b(OUT), None, 32 | 4096, None); os.chmod(OUT + '/kept', 0o777)",
    ),
    about_inside("give a file away", "os.chown(OUT + '/kept', 1, 1)"),
    about("change a file's times", "os.utime(OUT + '/kept', (1, 1))"),
    about("change the times by a handle", "os.utime(os.open(OUT + '/kept', os.O_RDONLY), (1, 1))"),
    about("change a folder's times", "os.utime(OUT, (1, 1))"),
    about_inside("put an attribute on a file", "os.setxattr(OUT + '/kept', 'user.x', b'x'); got()"),
    about_inside(
        "put a flag on a file",
        "import fcntl; fcntl.ioctl(os.open(OUT + '/kept', os.O_RDONLY), 0x40086602, (64).to_bytes(8, 'little')); got()",
    ),
    // Programs that no file holds.
    open(
        "a program in memory that writes",
        "f = os.memfd_create('m', 0); os.write(f, b'#!/bin/sh\\necho x > \"$1/new\"\\n'); subprocess.run(['/proc/self/fd/%d' % f, OUT, MARK], pass_fds=(f,))",
    ),
    open(
        "the loader as a program",
        "subprocess.run([next(p for p in glob.glob('/lib*/ld-linux*') if open(p, 'rb').read(5) == open('/bin/sh', 'rb').read(5)), '/bin/sh', '-c', 'echo x > \"$1/new\"', MARK, OUT])",
    ),
    // What starts programs later.
    only_inside(
        "a table of times",
        "\nfor d in glob.glob('/etc/cron*') + glob.glob('/var/spool/*') + glob.glob('/var/spool/*/*') + ['/etc/systemd/system', '/etc/profile.d', '/run', '/var/lib']:\n    try:\n        p = d + '/engross-' + MARK; open(p, 'x').close(); os.unlink(p); got()\n    except OSError:\n        pass",
    ),
    only_inside(
        "the account's own home",
        "\nfor d in ('', '/.config', '/.config/autostart', '/.config/systemd/user', '/.local/bin'):\n    try:\n        p = pwd.getpwuid(os.getuid()).pw_dir + d + '/engross-' + MARK; open(p, 'x').close(); os.unlink(p); got()\n    except OSError:\n        pass",
    ),
    // By /proc.
    open("write through the root of a process", "open('/proc/self/root' + OUT + '/new', 'w').write('x')"),
    open("write through another's folder", "open('/proc/%d/cwd/new' % VICTIM, 'w').write('x')"),
    open(
        "write through another's open file",
        "os.write(os.open('/proc/%d/fd/0' % VICTIM, os.O_WRONLY), b'XX')",
    ),
    open("read another's environment", "keep(open('/proc/%d/environ' % VICTIM).read())"),
    open("open another's memory", "open('/proc/%d/mem' % VICTIM, 'rb').close(); got()"),
    open(
        "make another the first to be killed",
        "open('/proc/%d/oom_score_adj' % VICTIM, 'w').write('500'); got()",
    ),
    only_inside(
        "change the kernel's settings",
        "p = '/proc/sys/kernel/printk_delay'; t = open(p).read(); open(p, 'w').write(t); got()",
    ),
    only_inside(
        "change what the kernel starts at a crash",
        "p = '/proc/sys/kernel/core_pattern'; t = open(p).read(); open(p, 'w').write(t); got()",
    ),
    only_inside(
        "leave its control group",
        "\nfor p in glob.glob('/sys/fs/cgroup/cgroup.procs') + glob.glob('/sys/fs/cgroup/*/cgroup.procs'):\n    try:\n        open(p, 'w').write(str(os.getpid())); got()\n    except OSError:\n        pass",
    ),
    // What is hidden.
    open("read a secret", "keep(open(TOP + '/hidden/secret').read())"),
    open(
        "read a secret through a link",
        "os.symlink(TOP + '/hidden/secret', SCOPE + '/l'); keep(open(SCOPE + '/l').read())",
    ),
    open(
        "read a secret by a hard link",
        "os.link(TOP + '/hidden/secret', SCOPE + '/l'); keep(open(SCOPE + '/l').read())",
    ),
    open(
        "move a secret in",
        "os.rename(TOP + '/hidden/secret', SCOPE + '/s'); keep(open(SCOPE + '/s').read())",
    ),
    open(
        "move the folder of a secret in",
        "os.rename(TOP + '/hidden', SCOPE + '/h'); keep(open(SCOPE + '/h/secret').read())",
    ),
    open(
        "let a tool read a secret",
        "keep(subprocess.run(['cat', TOP + '/hidden/secret'], capture_output=True, text=True).stdout)",
    ),
    // Mounts and names.
    only_inside(
        "mount a folder elsewhere",
        "assert libc.mount(b(OUT), b(SCOPE), None, 4096, None) == 0; open(SCOPE + '/new', 'w').close(); got()",
    ),
    only_inside(
        "mount over what is outside",
        "assert libc.mount(b'none', b(OUT), b'tmpfs', 0, None) == 0; got()",
    ),
    only_inside("mount by the new calls", "assert call(430, b'tmpfs', 0) >= 0; got()"),
    only_inside(
        "mount in names of one's own",
        "assert libc.unshare(0x10000000 | 0x20000) == 0 and libc.mount(b(OUT), b(SCOPE), None, 4096, None) == 0; got()",
    ),
    only_inside("another root", "os.chroot('/'); got()"),
    only_inside(
        "the names of another",
        "assert libc.setns(os.open('/proc/%d/ns/mnt' % VICTIM, os.O_RDONLY), 0) == 0; got()",
    ),
    only_inside(
        "open by a handle",
        "h = ctypes.create_string_buffer(160); h[0:4] = (128).to_bytes(4, 'little'); i = ctypes.c_int(); assert call(number(303, 264), AT, b(OUT + '/kept'), h, ctypes.byref(i), 0) == 0; f = call(number(304, 265), os.open(OUT, os.O_RDONLY), h, os.O_WRONLY); assert f >= 0; os.write(f, b'XX')",
    ),
    only_inside(
        "another name for this machine",
        "n = socket.gethostname(); assert libc.sethostname(b(n), len(n)) == 0; got()",
    ),
    only_inside(
        "a device that is the memory of all",
        "os.mknod(SCOPE + '/memory', 0o20600, os.makedev(1, 1)); got()",
    ),
    only_inside("a device", "os.mknod(SCOPE + '/disk', 0o60600, os.makedev(253, 0)); got()"),
    // Other processes.
    open("kill another", "os.kill(VICTIM, signal.SIGKILL); time.sleep(0.2)"),
    open("stop another", "os.kill(VICTIM, signal.SIGSTOP); time.sleep(0.2)"),
    open(
        "signal another by its handle",
        "signal.pidfd_send_signal(os.pidfd_open(VICTIM), signal.SIGKILL); time.sleep(0.2)",
    ),
    open("limit another", "resource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (3, 3))"),
    open("put another behind all", "os.setpriority(os.PRIO_PROCESS, VICTIM, 19); got()"),
    open("choose another's processor", "os.sched_setaffinity(VICTIM, os.sched_getaffinity(VICTIM)); got()"),
    open(
        "let another run only when nobody else does",
        "os.sched_setscheduler(VICTIM, os.SCHED_IDLE, os.sched_param(0)); got()",
    ),
    only_inside(
        "let another wait for the disk",
        "assert call(number(251, 30), 1, VICTIM, 3 << 13) == 0; got()",
    ),
    only_inside("take another's open file", "assert call(438, os.pidfd_open(VICTIM), 0, 0) >= 0; got()"),
    only_inside("hold the one who watches", "assert libc.ptrace(16, os.getppid(), None, None) == 0; got()"),
    only_inside(
        "hold the one who started all of it",
        "p = int(open('/proc/%d/stat' % os.getppid()).read().rsplit(')', 1)[1].split()[1]); assert libc.ptrace(16, p, None, None) == 0; got()",
    ),
    only_inside(
        "open the memory of the one who watches",
        "open('/proc/%d/mem' % os.getppid(), 'rb').close(); got()",
    ),
    only_inside(
        "take an open file of the one who watches",
        "assert call(438, os.pidfd_open(os.getppid()), 2, 0) >= 0; got()",
    ),
    only_inside("hold another", "assert libc.ptrace(16, VICTIM, None, None) == 0; got()"),
    only_inside(
        "write another's memory",
        "v = (ctypes.c_long * 2)(ctypes.addressof(ctypes.create_string_buffer(8)), 8); w = (ctypes.c_long * 2)(4096, 8); done = call(number(311, 271), VICTIM, v, 1, w, 1, 0); done < 0 and ctypes.get_errno() == 1 or got()",
    ),
    only_inside(
        "kill the one who watches, and stay",
        "os.kill(os.getppid(), signal.SIGKILL); subprocess.Popen(LATE, env={}, start_new_session=True); time.sleep(0.5)",
    ),
    only_inside(
        "stop the one who watches, and stay",
        "os.kill(os.getppid(), signal.SIGSTOP); subprocess.Popen(LATE, env={}, start_new_session=True)",
    ),
    // Services of this machine.
    open("call a service", "s = socket.socket(socket.AF_UNIX); s.connect(TOP + '/server')"),
    open(
        "call a service without a file",
        "s = socket.socket(socket.AF_UNIX); s.connect('\\0' + TOP.rstrip('/'))",
    ),
    open(
        "send to a service",
        "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b'x', TOP + '/datagrams')",
    ),
    open(
        "turn a pair to a service",
        "s, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); s.connect(TOP + '/datagrams'); s.send(b'x')",
    ),
    only_inside(
        "calls in a ring",
        "p = ctypes.create_string_buffer(120); assert call(425, 4, p) >= 0; got()",
    ),
    only_inside(
        "shared memory of the account",
        "assert call(number(29, 194), 4711, 4096, 0o1600) >= 0; got()",
    ),
    only_inside(
        "keys of the account",
        "assert call(number(248, 217), b'user', b'engross', b'x', 1, -4) >= 0; got()",
    ),
    only_inside(
        "a program in the kernel",
        "p = ctypes.create_string_buffer(128); ctypes.memmove(p, b'\\x02\\0\\0\\0\\x04\\0\\0\\0\\x08\\0\\0\\0\\x01', 13); assert call(number(321, 280), 0, p, 128) >= 0; got()",
    ),
    only_inside("a terminal", "os.open('/dev/tty', os.O_RDWR); got()"),
    only_inside("a new terminal", "os.openpty(); got()"),
    // After the end.
    open("a process in the background", "subprocess.Popen(LATE)"),
    open("a daemon with an empty environment", "subprocess.Popen(LATE, env={}, start_new_session=True)"),
    open(
        "a daemon whose parents are gone",
        "\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execve(LATE[0], LATE, {})\n    os._exit(0)\nos.wait()",
    ),
    open(
        "a daemon that hears nothing",
        "\nif os.fork() == 0:\n    os.setsid()\n    [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15, 20)]\n    os.execve(LATE[0], LATE, {})\ntime.sleep(0.1)",
    ),
    open(
        "a daemon that starts another when it is to end",
        "\nif os.fork() == 0:\n    os.setsid()\n    signal.signal(signal.SIGTERM, lambda *_: subprocess.Popen(LATE, env={}, start_new_session=True))\n    while True:\n        time.sleep(1)\ntime.sleep(0.1)",
    ),
    open(
        "a daemon that reaps its own",
        "libc.prctl(36, 1); subprocess.Popen(['sh', '-c', '(\"$@\" &)', MARK, *LATE], env={}, start_new_session=True); time.sleep(0.2)",
    ),
    open(
        "a daemon that outlives nobody's death",
        "\nif os.fork() == 0:\n    libc.prctl(1, 0)\n    os.setsid()\n    os.execve(LATE[0], LATE, {})\ntime.sleep(0.1)",
    ),
    open(
        "an open file, written later",
        "f = os.open(SCOPE + '/mine', os.O_WRONLY)\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1.5)\n    got()\n    time.sleep(300)\n    os._exit(0)",
    ),
    open(
        "a crowd of daemons",
        "\nfor _ in range(40):\n    subprocess.Popen(LATE, env={}, start_new_session=True)",
    ),
    only_inside("one that never stops forking", "\nwhile True:\n    if os.fork():\n        os._exit(0)"),
    only_inside(
        "one that never stops forking, and leaves its group",
        "\nwhile True:\n    if os.fork():\n        os._exit(0)\n    os.setsid()",
    ),
    only_inside(
        "ten that never stop forking, and leave their group",
        "\nfor _ in range(10):\n    if os.fork() == 0:\n        while True:\n            if os.fork():\n                os._exit(0)\n            os.setsid()",
    ),
    only_inside(
        "one that never stops forking, whose parents stay",
        "\nif os.fork() == 0:\n    for _ in range(300):\n        if os.fork():\n            signal.pause()\n        os.setsid()\n        time.sleep(0.002)\n    time.sleep(300)\ntime.sleep(0.1)",
    ),
    only_inside(
        "processes in numbers of their own",
        "assert libc.unshare(0x10000000 | 0x20000000) == 0; subprocess.Popen(LATE, env={}, start_new_session=True)",
    ),
    // A process that is killed at once by its own signal leaves its children.
    open(
        "an end without a goodbye",
        "subprocess.Popen(LATE, env={}, start_new_session=True); os.kill(os.getpid(), signal.SIGKILL)",
    ),
];
