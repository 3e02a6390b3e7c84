"""The engines that are compared: what is installed for each, how its adapter is started, and under which licence it stands.

A peer is run when its licence lets anybody run it and publish what came out; the licence is read from the package as it was
installed. What a licence asks of those who distribute a program is no matter here, since nothing of a peer is distributed. Must never
install a newer version by itself: results belong to versions.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
# Licences that let anybody run a program and publish what came out.
FREE_TO_RUN = re.compile(r"^(MIT( License)?|Apache-2\.0|BSD-[23]-Clause|ISC|0BSD|MPL-2\.0)\b")
OLDEST_PYTHON = (3, 12)
OLDEST_NODE = 18


class Skipped(Exception):
    """A peer that is not run, and why."""


@dataclass(frozen=True)
class Peer:
    name: str
    kind: str           # engross, python or node
    adapter: str
    packages: tuple[str, ...] = ()


PEERS = [
    Peer("engross", "engross", "engross_cli.py"),
    Peer("docx-scalpel", "python", "docx_scalpel_lib.py", ("docx-scalpel==0.9.0",)),
    Peer("adeu", "python", "adeu_lib.py", ("adeu==3.0.7",)),
    Peer("docx-revisions", "python", "docx_revisions_lib.py", ("docx-revisions==0.1.5",)),
    Peer("docx-redline", "python", "docx_redline_lib.py", ("docx-redline==1.0.3",)),
    Peer("docx-redline-js", "node", "docx_redline_js.mjs",
         ("@ansonlai/docx-redline-js@0.1.6", "@xmldom/xmldom@0.9.12", "jszip@3.10.2")),
]
# Known and left out, with the reason that the page gives.
LEFT_OUT = {
    "superdoc": ("2.x", "proprietary", "its terms do not allow it"),
    "Spire.Doc": ("", "proprietary", "its terms do not allow it"),
    "Aspose.Words": ("", "proprietary", "its terms do not allow it"),
}


@dataclass(frozen=True)
class Installed:
    peer: Peer
    command: list[str]
    environment: dict[str, str]
    version: str
    licence: str


def quietly(command: list[str], log: pathlib.Path, cwd: pathlib.Path | None = None) -> None:
    with open(log, "wb") as file:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd=cwd)
    if done.returncode:
        lines = log.read_text(errors="replace").strip().splitlines()
        raise Skipped(next((line for line in lines if "error" in line.lower()), f"{command[0]} ended with {done.returncode}"))


def new_python(wanted: str | None) -> str:
    """A Python that is new enough for all peers."""
    for name in [wanted] if wanted else ["python3.13", "python3.12", "python3"]:
        path = shutil.which(name)
        if path:
            asked = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
            if asked.returncode == 0 and tuple(map(int, asked.stdout.split())) >= OLDEST_PYTHON:
                return path
    raise Skipped("needs Python 3.12 or newer: put python3.12 or python3.13 on PATH, or name one with --python")


def prepared(peer: Peer, cache: pathlib.Path, engross: pathlib.Path, python: str | None) -> Installed:
    """Installs a peer where that is not done, checks its licence, and says how its adapter is started."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    adapter = HERE / "adapters" / peer.adapter
    if peer.kind == "engross":
        if not engross.exists():
            raise Skipped(f"there is no {engross}: build it with `cargo build --release -p engross`, or give --engross")
        version = subprocess.run([str(engross), "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
        return Installed(peer, [sys.executable, str(adapter)], {**environment, "ENGROSS": str(engross.resolve())}, version, "MIT")
    folder = cache / peer.name
    stamp, mark = folder / "installed", hashlib.sha256(" ".join(peer.packages).encode()).hexdigest()
    interpreter = folder / "env/bin/python"
    if not (stamp.exists() and stamp.read_text() == mark):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if peer.kind == "python":
            quietly([new_python(python), "-m", "venv", str(folder / "env")], folder / "venv.log")
            quietly([str(interpreter), "-m", "pip", "install", "--disable-pip-version-check", *peer.packages], folder / "pip.log")
        else:
            (folder / "package.json").write_text('{"private": true, "type": "module"}')
            quietly(["npm", "install", "--save-exact", "--no-audit", "--no-fund", "--ignore-scripts", *peer.packages], folder / "npm.log", folder)
        stamp.write_text(mark)
    version, licence = python_facts(interpreter, peer) if peer.kind == "python" else node_facts(folder, peer)
    if not FREE_TO_RUN.match(licence):
        raise Skipped(f"licence {licence.splitlines()[0] if licence else 'not stated'} is not known to let anybody run it and publish what came out")
    if peer.kind == "python":
        return Installed(peer, [str(interpreter), str(adapter)], environment, version, licence.split()[0])
    node = shutil.which("node")
    if not node or int(subprocess.run([node, "--version"], capture_output=True, text=True).stdout[1:].split(".")[0]) < OLDEST_NODE:
        raise Skipped(f"needs Node {OLDEST_NODE} or newer")
    shutil.copy(adapter, folder)  # Libraries are found beside the script that asks for them.
    return Installed(peer, [node, str(folder / peer.adapter)], environment, version, licence)


def python_facts(interpreter: pathlib.Path, peer: Peer) -> tuple[str, str]:
    name = peer.packages[0].split("==")[0]
    program = ("import importlib.metadata as m, json; d = m.metadata(%r); "
               "print(json.dumps([d['Version'], d.get('License-Expression') or d.get('License') or '']))" % name)
    version, licence = json.loads(subprocess.run([str(interpreter), "-c", program], capture_output=True, text=True, check=True).stdout)
    return version, licence


def node_facts(folder: pathlib.Path, peer: Peer) -> tuple[str, str]:
    name = peer.packages[0].rsplit("@", 1)[0]
    manifest = json.loads((folder / "node_modules" / name / "package.json").read_text())
    return manifest["version"], manifest["license"]
