"""Runs inside the environment of one version of ace-framework; does one thing and prints JSON.

    probe.py load BOOK        what the library sees in a skillbook
    probe.py add BOOK         adds a skill and a vote with the library's own means, and saves
    probe.py trace TRACES     puts traces through TraceAnalyser with roles that answer by rote
"""
import inspect
import json
import logging
import os
import pathlib
import sys

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
logging.disable(logging.CRITICAL)

# Until 0.8 the library has two packages; the one that became the present one comes first.
try:
    import ace_next as ace
    from ace_next.core import outputs, skillbook as books
except ImportError:
    import ace
    from ace.core import outputs, skillbook as books


def load(path):
    return books.Skillbook.load_from_file(str(path))


def text(skill):
    return getattr(skill, "content", None) or getattr(skill, "insight", "") or ""


def seen(book):
    prompt = book.as_prompt() if hasattr(book, "as_prompt") else str(book)
    skills = book.skills()
    return {
        "skills": {skill.id: {"text": text(skill), "helpful": getattr(skill, "helpful", getattr(skill, "helpful_count", None))}
                   for skill in skills},
        "shown": [skill.id for skill in skills if skill.id in prompt or text(skill) in prompt],
    }


def called(function, **values):
    """Calls with what of `values` the function takes in this version."""
    parameters = inspect.signature(function).parameters
    return function(**{name: value for name, value in values.items() if name in parameters})


def add(path):
    book = load(path)
    what = "Quote file names that hold spaces"
    called(book.add_skill, section="context", content=what, insight=what, issue="names are split", keywords=["quoting"])
    first = next(iter(book.skills())).id
    if hasattr(book, "tag_skill"):
        try:
            book.tag_skill(first, "helpful")
        except (TypeError, ValueError, KeyError):
            book.tag_skill(first, 1)
    book.save_to_file(str(path))
    return seen(load(path))


class Reflector:
    """Says the same about every trace, and keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def reflect(self, **given):
        answer = given["agent_output"]
        self.asked.append({
            "question": given.get("question"), "reasoning": answer.reasoning, "answer": answer.final_answer,
            "feedback": given.get("feedback"), "ground_truth": given.get("ground_truth"),
            "skill_ids": getattr(answer, "skill_ids", None)})
        return outputs.ReflectorOutput(reasoning="r", correct_approach="c", key_insight="Stat a path before reading it")


class Manager:
    def update_skills(self, **given):
        return outputs.SkillManagerOutput(update=books.UpdateBatch(reasoning="r", operations=[]))


def trace(path):
    runners = __import__(ace.__name__ + ".runners.trace_analyser", fromlist=["TraceAnalyser"])
    reflector = Reflector()
    traces = json.loads(pathlib.Path(path).read_text())
    analyser = runners.TraceAnalyser.from_roles(reflector=reflector, skill_manager=Manager())
    results = analyser.run(traces)
    errors = [str(result.error) for result in results if getattr(result, "error", None)]
    return {"asked": reflector.asked, "errors": errors, "results": len(results)}


if __name__ == "__main__":
    what, path = sys.argv[1:]
    done = {"load": lambda: seen(load(path)), "add": lambda: add(path), "trace": lambda: trace(path)}[what]()
    print("PROBE " + json.dumps(done))
