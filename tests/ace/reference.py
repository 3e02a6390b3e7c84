"""Puts the traces of the world through the reference's own Reflector and SkillManager, with a scripted model; prints JSON.

    reference.py WORLD TRACES HABIT     inside an environment with ace-framework 0.13
"""
import hashlib
import json
import logging
import os
import pathlib
import re
import sys

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
logging.disable(logging.CRITICAL)

from pydantic_ai import Agent  # noqa: E402
from pydantic_ai.messages import ModelResponse, ToolCallPart  # noqa: E402
from pydantic_ai.models.function import FunctionModel  # noqa: E402

from ace.core.outputs import ReflectorOutput  # noqa: E402
from ace.deduplication.detector import SimilarityDetector  # noqa: E402
from ace.core.skillbook import Skillbook  # noqa: E402
from ace.implementations.reflector import Reflector  # noqa: E402
from ace.implementations.skill_manager import SkillManager  # noqa: E402
from ace.runners.trace_analyser import TraceAnalyser  # noqa: E402

from curators import World  # noqa: E402



def embedding(text):
    """Its search asks a provider for embeddings; without a net, words counted by their hashes stand for one."""
    vector = [0.0] * 256
    for word in re.findall(r"[a-z0-9_]+", text.lower()):
        vector[int(hashlib.sha256(word.encode()).hexdigest()[:8], 16) % 256] += 1.0
    return vector


def ensure_embeddings(_, book):
    for skill in book.skills():
        skill.embedding = embedding(skill.embedding_text())
    return 0


SimilarityDetector.compute_embedding = lambda _, text: embedding(text)
SimilarityDetector.ensure_embeddings = ensure_embeddings
CALLS = {"calls": 0, "in": 0, "out": 0}


def text_of(messages):
    parts = [part for message in messages for part in message.parts]
    texts = [part.content if isinstance(getattr(part, "content", None), str) else json.dumps(getattr(part, "content", ""), default=str)
             for part in parts]
    instructions = [getattr(message, "instructions", None) or "" for message in messages]
    return "\n".join(texts + instructions)


def answer(messages, info, name, arguments):
    CALLS["calls"] += 1
    schemas = json.dumps([tool.parameters_json_schema for tool in info.function_tools + info.output_tools])
    CALLS["in"] += len(text_of(messages)) + len(schemas)
    CALLS["out"] += len(json.dumps(arguments))
    return ModelResponse(parts=[ToolCallPart(tool_name=name, args=arguments)])


def main(world, traces, habit):
    def reflect(messages, info):
        learning = world.learning(text_of(messages))
        return answer(messages, info, info.output_tools[0].name, {
            "reasoning": "r", "error_identification": "e", "root_cause_analysis": "c", "correct_approach": learning, "key_insight": learning})

    def manage(messages, info):
        returned = [part for message in messages for part in message.parts if part.part_kind == "tool-return"]
        done = {"reasoning": "done"}
        # What it was asked first; later messages hold what other sessions taught.
        text = text_of(messages[:1])
        learning = next(one for one in sorted((s["words"] or f"Mind what came up in {s['question']}" for s in world.sessions), key=len, reverse=True)
                        if json.dumps(one, ensure_ascii=False)[1:-1] in text)
        if not returned:
            return answer(messages, info, "search_skills", {"query": learning, "top_k": 8})
        if len(returned) > 1:
            return answer(messages, info, info.output_tools[0].name, done)
        found = returned[0].content
        found = json.loads(found) if isinstance(found, str) else found
        skills = [(one["id"], one.get("insight") or one.get("issue") or "") for one in found if "id" in one]
        known = world.known(learning, skills)
        add = {"section": "work", "issue": "it failed", "keywords": ["work"], "insight": learning}
        if known and habit == "repeat":
            return answer(messages, info, "add_skill", {**add, "insight": known[1]})
        if known and habit == "update":
            return answer(messages, info, "update_skill", {"skill_id": known[0], "issue": "it failed", "insight": learning})
        if known and habit == "nothing":
            return answer(messages, info, info.output_tools[0].name, done)
        if known and habit == "confirm":
            return answer(messages, info, "tag_skill", {"skill_id": known[0], "tag": "helpful"})
        return answer(messages, info, "add_skill", add)

    book = Skillbook()
    reflector = Reflector("test")
    reflector._agent = Agent(FunctionModel(reflect), output_type=ReflectorOutput, retries=3)
    analyser = TraceAnalyser.from_roles(reflector=reflector, skill_manager=SkillManager(FunctionModel(manage)), skillbook=book)
    results = analyser.run(traces)
    errors = [str(result.error) for result in results if getattr(result, "error", None)]
    lines = [skill.insight or skill.issue or "" for skill in book.skills()]
    print(json.dumps({**world.judge(lines), **CALLS, "errors": errors[:3], "failed": len(errors)}))


if __name__ == "__main__":
    where, traces, habit = sys.argv[1:]
    main(World(where), json.loads(pathlib.Path(traces).read_text()), habit)
