"""`litellm` as a client."""
import json

import litellm
import openai
import pydantic
from checks import (ADA, BASE_URL, COMPARED, DOT, FIRST, HELLO, IN_PICTURE, PICTURE, ROUNDS, THINK, THOUGHTS, TOOL, WEATHER, asked, fails,
                    picture_reached, run, same, schema_reached, session, thoughts_reached)

litellm.suppress_debug_info = True


def ask(messages, **more):
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return litellm.completion(model="openai/engross", api_base=BASE_URL, api_key="unused", messages=messages, num_retries=0,
                              max_retries=0, **more)


def results(message):
    return [{"role": "tool", "tool_call_id": call.id, "name": call.function.name,
             "content": WEATHER[json.loads(call.function.arguments)["city"]]} for call in message.tool_calls or []]


def whole_answer():
    choice = ask("Say hello.").choices[0]
    same((choice.message.content, choice.finish_reason), (HELLO, "stop"))


def streamed_answer():
    chunks = list(ask("Say hello.", stream=True))
    same("".join(chunk.choices[0].delta.content or "" for chunk in chunks), HELLO)
    same(chunks[-1].choices[0].finish_reason, "stop")


def session_remembers():
    key = session()
    ask("My name is Ada.", extra_headers=key)
    same(ask("What is my name?", extra_headers=key).choices[0].message.content, "Your name is Ada.")


def tools_by_results_only():
    key, messages = session(), "Compare the weather."
    for _ in range(3):
        message = ask(messages, tools=[TOOL], extra_headers=key).choices[0].message
        messages = results(message)
    same((message.content, asked()), (COMPARED, ROUNDS))


def tools_streamed_by_results_only():
    key, messages = session(), "Compare the weather."
    for _ in range(3):
        chunks = list(ask(messages, tools=[TOOL], extra_headers=key, stream=True))
        message = litellm.stream_chunk_builder(chunks).choices[0].message
        messages = results(message)
    same((message.content, asked()), (COMPARED, ROUNDS))


def compare_with_history(key):
    messages = [{"role": "user", "content": "Compare the weather."}]
    for _ in range(3):
        message = ask(messages, tools=[TOOL], extra_headers=key).choices[0].message
        messages += [message.model_dump(), *results(message)]
    same((message.content, asked()), (COMPARED, ROUNDS))


def tools_by_whole_history():
    compare_with_history(session())


def tools_by_whole_history_without_a_session():
    compare_with_history({})


def rate_limit_reaches_the_client():
    error = fails(litellm.RateLimitError, lambda: ask("Be limited for long."))
    same("90" in str(error), True)


def refusal_of_the_model():
    fails(litellm.BadRequestError, lambda: ask("Be refused."))


def cut_stream_is_an_error():
    error = fails(openai.APIError, lambda: list(ask("Break off.", stream=True)))
    same("cut off" in str(error), True)


def cut_answer_is_an_error():
    error = fails(openai.APIError, lambda: ask("Break off."))
    same("cut off" in str(error), True)


class Person(pydantic.BaseModel):
    name: str
    born: int


def picture_reaches_the_model():
    parts = [{"type": "text", "text": IN_PICTURE}, {"type": "image_url", "image_url": {"url": PICTURE}}]
    same(ask([{"role": "user", "content": parts}]).choices[0].message.content, DOT)
    picture_reached()


def schema_reaches_the_model():
    same(json.loads(ask(FIRST, response_format=Person).choices[0].message.content), ADA)
    schema_reached()


def reasoning_comes_back_without_a_session():
    messages = [{"role": "user", "content": THINK}]
    message = ask(messages, tools=[TOOL]).choices[0].message
    same(message.reasoning_content, THOUGHTS[0])
    same(ask([*messages, message.model_dump(), *results(message)], tools=[TOOL]).choices[0].message.content, "12 in Leeds.")
    thoughts_reached()


run("litellm", whole_answer, picture_reaches_the_model, schema_reaches_the_model, reasoning_comes_back_without_a_session, streamed_answer, session_remembers, tools_by_results_only, tools_streamed_by_results_only,
    tools_by_whole_history, tools_by_whole_history_without_a_session, rate_limit_reaches_the_client, refusal_of_the_model,
    cut_stream_is_an_error, cut_answer_is_an_error)
