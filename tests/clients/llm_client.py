"""`llm` of Simon Willison: the command itself."""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from checks import ADA, BASE_URL, DOT, FIRST, HELLO, IN_PICTURE, PNG, picture_reached, received, run, same, schema_reached, words

HOME = pathlib.Path(tempfile.mkdtemp())
(HOME / "extra-openai-models.yaml").write_text(
    f"- model_id: engross\n  model_name: engross\n  api_base: {BASE_URL}\n  vision: true\n  supports_schema: true\n  supports_tools: true\n")


def llm(*words, **more):
    command = [str(pathlib.Path(sys.executable).parent / "llm"), *words]
    done = subprocess.run(command, env={**os.environ, "LLM_USER_PATH": str(HOME)}, capture_output=True, text=True, timeout=60, **more)
    if done.returncode:
        raise AssertionError(done.stderr.strip()[-400:])
    return done.stdout.strip()


def whole_and_streamed_answers():
    same((llm("-m", "engross", "Say hello."), llm("-m", "engross", "--no-stream", "Say hello.")), (HELLO, HELLO))


def conversation_goes_on():
    llm("-m", "engross", "My name is Ada.")
    same(llm("-c", "What is my name?"), "Your name is Ada.")
    same(words(), ["My name is Ada.", "Good day, Ada.", "What is my name?"])


def picture_reaches_the_model():
    picture = HOME / "dot.png"
    picture.write_bytes(base64.b64decode(PNG))
    same(llm("-m", "engross", IN_PICTURE, "-a", str(picture)), DOT)
    picture_reached()


def schema_reaches_the_model():
    same(json.loads(llm("-m", "engross", "--schema", "name, born int", FIRST)), ADA)
    schema_reached()


def options_reach_the_model():
    llm("-m", "engross", "-o", "temperature", "0.5", "-o", "seed", "7", "Say hello.")
    same((received()["temperature"], received()["seed"]), (0.5, 7))


def tools_are_run():
    tool = "def get_weather(city: str) -> str:\n    return {'Leeds': 'Leeds: 12', 'York': 'York: 9'}[city]\n"
    same(llm("-m", "engross", "--functions", tool, "Compare the weather.").endswith("Leeds is warmer: 12 against 9."), True)


run("llm", whole_and_streamed_answers, conversation_goes_on, picture_reaches_the_model, schema_reaches_the_model,
    options_reach_the_model, tools_are_run)
