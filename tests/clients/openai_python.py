"""The `openai` library of Python."""
import json

import openai
from checks import BASE_URL, COMPARED, HELLO, ROUNDS, TOOL, WEATHER, asked, fails, run, same, session

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


run("openai", models, whole_answer, streamed_answer, session_remembers, tools_by_results_only, tools_streamed_by_results_only,
    tools_by_whole_history, tools_by_whole_history_without_a_session, rate_limit_reaches_the_client,
    short_rate_limit_is_waited_out, refusal_of_the_model, refusal_of_the_server, cut_stream_is_an_error,
    dropped_stream_is_an_error, cut_answer_is_an_error, responses, responses_streamed_with_tools, cut_response_is_an_error,
    repeated_request_is_answered_once)
