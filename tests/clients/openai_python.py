"""The `openai` library of Python."""
import json

import openai
import pydantic
from checks import (ADA, BASE_URL, COMPARED, DOT, FIRST, HELLO, IN_PICTURE, PICTURE, ROUNDS, THINK, THOUGHTS, TOOL, WEATHER, asked, fails,
                    picture_reached, received, run, same, schema_reached, session, thoughts_reached, words)

client = openai.OpenAI(base_url=BASE_URL, api_key="unused", max_retries=0)
chat = client.chat.completions
TOOLS = [TOOL]


def user(text):
    return [{"role": "user", "content": text}]


def results(message):
    return [{"role": "tool", "tool_call_id": call.id, "content": WEATHER[json.loads(call.function.arguments)["city"]]}
            for call in message.tool_calls]


def models():
    same([model.id for model in client.models.list()], ["engross", "openclaw"])


def whole_answer():
    answer = chat.create(model="engross", messages=user("Say hello."))
    same((answer.choices[0].message.content, answer.choices[0].finish_reason), (HELLO, "stop"))


def streamed_answer():
    with chat.stream(model="engross", messages=user("Say hello.")) as stream:
        deltas = [event.delta for event in stream if event.type == "content.delta"]
        final = stream.get_final_completion()
    same(("".join(deltas), len(deltas) > 1), (HELLO, True))
    same((final.choices[0].message.content, final.choices[0].finish_reason), (HELLO, "stop"))


def session_remembers():
    key = session()
    chat.create(model="engross", messages=user("My name is Ada."), extra_headers=key)
    answer = chat.create(model="engross", messages=user("What is my name?"), extra_headers=key)
    same(answer.choices[0].message.content, "Your name is Ada.")


def tools_by_results_only():
    key, messages = session(), user("Compare the weather.")
    for _ in range(2):
        answer = chat.create(model="engross", messages=messages, tools=TOOLS, extra_headers=key)
        same(answer.choices[0].finish_reason, "tool_calls")
        messages = results(answer.choices[0].message)
    answer = chat.create(model="engross", messages=messages, tools=TOOLS, extra_headers=key)
    same((answer.choices[0].message.content, asked()), (COMPARED, ROUNDS))


def tools_streamed_by_results_only():
    key, messages = session(), user("Compare the weather.")
    for _ in range(3):
        with chat.stream(model="engross", messages=messages, tools=TOOLS, extra_headers=key) as stream:
            message = stream.get_final_completion().choices[0].message
        messages = results(message) if message.tool_calls else []
    same((message.content, asked()), (COMPARED, ROUNDS))


def compare_with_history(key):
    messages = user("Compare the weather.")
    for _ in range(2):
        message = chat.create(model="engross", messages=messages, tools=TOOLS, extra_headers=key).choices[0].message
        messages += [message, *results(message)]
    answer = chat.create(model="engross", messages=messages, tools=TOOLS, extra_headers=key)
    same((answer.choices[0].message.content, asked()), (COMPARED, ROUNDS))


def tools_by_whole_history():
    compare_with_history(session())


def tools_by_whole_history_without_a_session():
    compare_with_history({})


def rate_limit_reaches_the_client():
    error = fails(openai.RateLimitError, lambda: chat.create(model="engross", messages=user("Be limited for long.")))
    same((error.code, error.response.headers["retry-after"]), ("MODEL_RATE_LIMITED", "90"))


def short_rate_limit_is_waited_out():
    answer = chat.create(model="engross", messages=user("Be limited twice."))
    same(answer.choices[0].message.content, "Limited no more.")


def refusal_of_the_model():
    error = fails(openai.BadRequestError, lambda: chat.create(model="engross", messages=user("Be refused.")))
    same(error.code, "MODEL_BAD_REQUEST")


def refusal_of_the_server():
    error = fails(openai.BadRequestError, lambda: chat.create(model="engross", messages=[]))
    same((error.code, error.type), ("MESSAGE_MISSING", "invalid_request_error"))


def cut_stream_is_an_error(text="Break off.", code="MODEL_TRUNCATED"):
    error = fails(openai.APIError, lambda: [*chat.create(model="engross", messages=user(text), stream=True)])
    same(error.code, code)


def dropped_stream_is_an_error():
    cut_stream_is_an_error("Drop the line.", "MODEL_TRUNCATED")


def cut_answer_is_an_error():
    error = fails(openai.InternalServerError, lambda: chat.create(model="engross", messages=user("Break off.")))
    same((error.status_code, error.code), (502, "MODEL_TRUNCATED"))


def responses():
    answer = client.responses.create(model="engross", input="Say hello.")
    same((answer.output_text, answer.status), (HELLO, "completed"))


def responses_streamed_with_tools():
    tool = {"type": "function", **TOOL["function"]}
    before, message = None, "Compare the weather."
    for _ in range(3):
        with client.responses.stream(model="engross", input=message, tools=[tool], previous_response_id=before) as stream:
            answer = stream.get_final_response()
        before = answer.id
        message = [{"type": "function_call_output", "call_id": item.call_id, "output": WEATHER[json.loads(item.arguments)["city"]]}
                   for item in answer.output if item.type == "function_call"]
    same((answer.output_text, asked()), (COMPARED, ROUNDS))


def cut_response_is_an_error():
    with client.responses.stream(model="engross", input="Break off.") as events:
        last = [*events][-1]
    same((last.type, last.response.status, last.response.error.code), ("response.failed", "failed", "MODEL_TRUNCATED"))


def repeated_request_is_answered_once():
    once = {**session(), "idempotency-key": session().popitem()[1]}
    first, again = (chat.create(model="engross", messages=user("Say hello."), extra_headers=once) for _ in range(2))
    same((again.id, again.choices, len(asked())), (first.id, first.choices, 1))


class Person(pydantic.BaseModel):
    name: str
    born: int


def picture_reaches_the_model():
    parts = [{"type": "text", "text": IN_PICTURE}, {"type": "image_url", "image_url": {"url": PICTURE}}]
    answer = chat.create(model="engross", messages=[{"role": "user", "content": parts}])
    same(answer.choices[0].message.content, DOT)
    picture_reached()


def picture_reaches_the_model_by_responses():
    parts = [{"type": "input_text", "text": IN_PICTURE}, {"type": "input_image", "image_url": PICTURE}]
    same(client.responses.create(model="engross", input=[{"role": "user", "content": parts}]).output_text, DOT)
    picture_reached()


def schema_reaches_the_model():
    answer = chat.parse(model="engross", messages=user(FIRST), response_format=Person)
    same(answer.choices[0].message.parsed, Person(**ADA))
    schema_reached()
    same(client.responses.parse(model="engross", input=FIRST, text_format=Person).output_parsed, Person(**ADA))
    schema_reached()


def reasoning_comes_back_without_a_session():
    messages = user(THINK)
    message = chat.create(model="engross", messages=messages, tools=TOOLS).choices[0].message
    same(message.reasoning_content, THOUGHTS[0])
    answer = chat.create(model="engross", messages=[*messages, message.model_dump(), *results(message)], tools=TOOLS)
    same(answer.choices[0].message.content, "12 in Leeds.")
    thoughts_reached()


def encrypted_reasoning_comes_back():
    tool = {"type": "function", **TOOL["function"]}
    ask = {"model": "engross", "tools": [tool], "store": False, "include": ["reasoning.encrypted_content"]}
    first = client.responses.create(input=[{"role": "user", "content": THINK}], **ask)
    same([item.type for item in first.output], ["reasoning", "function_call"])
    result = {"type": "function_call_output", "call_id": first.output[1].call_id, "output": WEATHER["Leeds"]}
    same(client.responses.create(input=[{"role": "user", "content": THINK}, *first.output, result], **ask).output_text, "12 in Leeds.")
    thoughts_reached()


def branches_see_only_their_own_past():
    root = client.responses.create(model="engross", input="Say hello.")
    for way, said in (("Go left.", "Left it is."), ("Go right.", "Right it is.")):
        same(client.responses.create(model="engross", input=way, previous_response_id=root.id).output_text, said)
        same(words(), ["Say hello.", HELLO, way])


def what_is_asked_of_the_answer_reaches_the_model():
    answer = chat.create(model="engross", messages=user("Say hello."), seed=7, stop=["END"], top_p=0.5, logprobs=True, top_logprobs=2,
                         extra_body={"top_k": 3})
    body = received()
    same([body[name] for name in ("seed", "stop", "top_p", "logprobs", "top_logprobs", "top_k")], [7, ["END"], 0.5, True, 2, 3])
    same("".join(token.token for token in answer.choices[0].logprobs.content), HELLO)


def what_cannot_be_done_is_named():
    error = fails(openai.BadRequestError, lambda: chat.create(model="engross", messages=user("Say hello."), n=2))
    same((error.code, error.param), ("INVALID_REQUEST", "n"))


run("openai", models, picture_reaches_the_model, picture_reaches_the_model_by_responses, schema_reaches_the_model,
    reasoning_comes_back_without_a_session, encrypted_reasoning_comes_back, branches_see_only_their_own_past,
    what_is_asked_of_the_answer_reaches_the_model, what_cannot_be_done_is_named, whole_answer, streamed_answer, session_remembers, tools_by_results_only, tools_streamed_by_results_only,
    tools_by_whole_history, tools_by_whole_history_without_a_session, rate_limit_reaches_the_client,
    short_rate_limit_is_waited_out, refusal_of_the_model, refusal_of_the_server, cut_stream_is_an_error,
    dropped_stream_is_an_error, cut_answer_is_an_error, responses, responses_streamed_with_tools, cut_response_is_an_error,
    repeated_request_is_answered_once)
