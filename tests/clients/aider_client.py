"""`aider`, as its command is run: an edit of a file in a repository, from an answer of the model."""
import os
import pathlib
import subprocess
import sys
import tempfile

from checks import BASE_URL, run, same, session


def edit(text, *more):
    """Lets aider carry out an instruction on `a.txt`. Gives the file, the number of commits, and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        repository = pathlib.Path(folder, "repository")
        home = pathlib.Path(folder, "home")
        home.mkdir()
        repository.mkdir()
        file = repository / "a.txt"
        file.write_text("hello\n")
        environment = {**os.environ, "HOME": str(home), "OPENAI_API_BASE": BASE_URL, "OPENAI_API_KEY": "unused"}

        def git(*arguments):
            command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments]
            return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=True).stdout

        git("init", "--quiet")
        git("config", "user.name", "Ada")
        git("config", "user.email", "ada@example.org")
        git("add", "a.txt")
        git("commit", "--quiet", "-m", "Begin")
        aider = [str(pathlib.Path(sys.executable).with_name("aider")), "--model", "openai/engross", "--edit-format", "diff",
                 "--no-check-update", "--analytics-disable", "--no-show-model-warnings", "--no-gitignore", "--yes",
                 "--message", text, *more, "a.txt"]
        done = subprocess.run(aider, cwd=repository, env=environment, capture_output=True, text=True, timeout=200)
        return file.read_text(), len(git("log", "--oneline").splitlines()), done.stdout + done.stderr


def edits_and_commits():
    got = edit("Greet the world.")
    same(got[:2], ("hello world\n", 2))


def cut_answer_changes_nothing():
    # aider repeats such requests for a minute unless it is told how long to try.
    text, commits, printed = edit("Break off.", "--timeout", "5", "--no-stream")
    same((text, commits, "cut off" in printed), ("hello\n", 1, True))


run("aider-chat", edits_and_commits, cut_answer_changes_nothing)
