"""A scripted reflector that is right, and curators of some habits, for engross and for the reference alike.

A lesson is known by the words of world.json; what a text means is judged by them alone.
"""
import json
import pathlib

HABITS = ["repeat", "update", "nothing", "own words", "confirm"]
# Ways in which real curators go wrong, each beside what it should do.
FAULTS = ["praise", "wrong ids", "half an object first", "prose first"]


class World:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        told = json.loads((self.folder / "world.json").read_text())
        self.sessions, self.lessons = told["sessions"], told["lessons"]

    def meaning(self, text):
        """The lesson that an agent could act on after reading this, or None."""
        text = text.lower()
        for number, lesson in enumerate(self.lessons):
            if all(any(word in text for word in lesson[part]) for part in ("essence", "about")):
                return number
        return None

    def learning(self, asked):
        """What a reflector writes down about the session whose first words are in `asked`."""
        session = next(one for one in self.sessions if one["question"] in asked)
        return session["words"] or f"Mind what came up in {session['question']}"

    def known(self, learning, skills):
        """The skill, of pairs of id and text, that says what the learning says."""
        wanted = self.meaning(learning)
        return next((skill for skill in skills if wanted is not None and self.meaning(skill[1]) == wanted), None)

    def judge(self, lines):
        """Lessons that can be used, and lines that are none."""
        meanings = [self.meaning(line) for line in lines]
        return {"usable": len({one for one in meanings if one is not None}), "lines": len(lines),
                "noise": sum(one is None for one in meanings)}
