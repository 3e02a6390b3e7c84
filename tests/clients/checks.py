"""What the Python clients share: running checks, and what the model behind the server was asked.

Must never touch a client library: what is proven here is proven of libraries as they are published.
"""
import json
import os
import sys
import traceback
import urllib.request
import uuid
from importlib.metadata import version

BASE_URL = os.environ["ENGROSS_BASE_URL"]
MODEL_URL = os.environ["SCRIPTED_MODEL_URL"]
HELLO = "Hello from the script."
ROUNDS = ["user", "assistant+get_weather", "tool", "assistant+get_weather", "tool"]
COMPARED = "Leeds is warmer: 12 against 9."
WEATHER = {"Leeds": "Leeds: 12", "York": "York: 9"}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The temperature in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
PICTURE = f"data:image/png;base64,{PNG}"
IN_PICTURE = "What is in the picture?"
DOT = "A red dot."
FIRST = "Who wrote the first program?"
ADA = {"name": "Ada", "born": 1815}
THINK = "Think about the weather."
THOUGHTS = ["I need Leeds."]


def received():
    """The body that the model was asked with last."""
    with urllib.request.urlopen(MODEL_URL + "/__log") as answer:
        return json.load(answer)[-1]


def picture_reached():
    """The model was given the picture itself, beside the question."""
    parts = received()["messages"][-1]["content"]
    same([part["image_url"]["url"] for part in parts if part["type"] == "image_url"], [PICTURE])
    same(any(IN_PICTURE in part.get("text", "") for part in parts), True)


def schema_reached():
    """The model was given the schema of the answer."""
    form = received()["response_format"]
    same((form["type"], sorted(form["json_schema"]["schema"]["properties"])), ("json_schema", ["born", "name"]))


def thoughts_reached():
    """What the model thought before its calls was given back to it with their results."""
    same([message["reasoning_content"] for message in received()["messages"] if message.get("reasoning_content")], THOUGHTS)


def words():
    """What was said in the conversation that the model was asked with last, without instructions."""
    return [message["content"] for message in received()["messages"] if message["role"] != "system"]


def session():
    """The header of a session of its own."""
    return {"x-engross-session-key": str(uuid.uuid4())}


def asked():
    """The roles of the messages that the model was asked with last, calls by their names."""
    with urllib.request.urlopen(MODEL_URL + "/__log") as answer:
        messages = json.load(answer)[-1]["messages"]
    said = [message for message in messages if message["role"] != "system"]
    return ["+".join([message["role"], *(call["function"]["name"] for call in message.get("tool_calls") or [])])
            for message in said]


def same(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}, not {wanted!r}")


def fails(kind, action):
    """The error that `action` fails with, which must be a `kind`. A short success is the worst that could come."""
    try:
        got = action()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}, but {got!r}")


def run(package, *checks):
    """Runs checks, and reports each as a line of JSON. A check is a function; its name, in words, names it."""
    print(json.dumps({"package": package, "version": version(package)}), flush=True)
    for check in checks:
        line = {"check": check.__name__.replace("_", " "), "ok": True}
        try:
            check()
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            line.update(ok=False, why=f"{type(error).__name__}: {error}")
        print(json.dumps(line), flush=True)
