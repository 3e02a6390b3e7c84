"""Open Responses, the specification: the seven requests of its compliance tests, and further ones, whose answers and events are judged by
the types that mozilla.ai makes of it (`openresponses-types`).

Must never send what those tests do not: field by field the requests are theirs, in words to which the script has an answer.
"""
import json
import typing
import urllib.request

import openresponses_types
from checks import BASE_URL, HELLO, IN_PICTURE, PICTURE, THINK, TOOL, picture_reached, run, same, words
from pydantic import TypeAdapter

# Every event that there is, by its type.
EVENTS = {
    typing.get_args(json_type)[0] if not hasattr(json_type, "__members__") else next(iter(json_type)).value: kind
    for kind in vars(openresponses_types).values()
    if isinstance(kind, type) and kind.__name__.endswith("StreamingEvent")
    for json_type in [kind.model_fields["type"].annotation]
}
FUNCTION = {"type": "function", **TOOL["function"]}


def message(role, content):
    return {"type": "message", "role": role, "content": content}


def post(items, **more):
    body = {"model": "engross", "input": items, **more}
    request = urllib.request.Request(BASE_URL + "/responses", data=json.dumps(body).encode(),
                                     headers={"content-type": "application/json", "authorization": "Bearer unused"})
    return urllib.request.urlopen(request, timeout=60)


def judged(response):
    TypeAdapter(openresponses_types.ResponseResource).validate_python(response)
    return response


def whole(items, **more):
    with post(items, stream=False, **more) as answer:
        return judged(json.load(answer))


def streamed(items, **more):
    """All events, each as its type says, and the response of the last one."""
    with post(items, stream=True, **more) as answer:
        text = answer.read().decode()
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ") and line != "data: [DONE]"]
    for event in events:
        TypeAdapter(EVENTS[event["type"]]).validate_python(event)
    numbers = [event["sequence_number"] for event in events]
    same(numbers, sorted(set(numbers)))
    return events, judged(events[-1]["response"])


def text_of(response):
    return "".join(part["text"] for item in response["output"] if item["type"] == "message" for part in item["content"])


def kinds(response):
    return [item["type"] for item in response["output"]]


def a_basic_text_response():
    response = whole([message("user", "Say hello.")])
    same((response["status"], text_of(response)), ("completed", HELLO))


def a_streamed_response():
    events, response = streamed([message("user", "Say hello.")])
    same((events[0]["type"], events[-1]["type"], response["status"]), ("response.created", "response.completed", "completed"))
    same("".join(event["delta"] for event in events if event["type"] == "response.output_text.delta"), HELLO)


def a_system_prompt():
    response = whole([message("system", "You are a pirate."), message("user", "Say hello.")])
    same((response["status"], kinds(response)), ("completed", ["message"]))


def a_tool_call():
    response = whole([message("user", "Compare the weather")], tools=[FUNCTION])
    same("function_call" in kinds(response), True)


def a_streamed_tool_call():
    events, response = streamed([message("user", "Compare the weather")], tools=[FUNCTION])
    seen = [(event["type"], event.get("item", {}).get("type")) for event in events]
    for wanted in [("response.output_item.added", "function_call"), ("response.function_call_arguments.delta", None),
                   ("response.function_call_arguments.done", None), ("response.output_item.done", "function_call")]:
        same(wanted in seen, True)
    same("function_call" in kinds(response), True)


def a_picture():
    response = whole([message("user", [{"type": "input_text", "text": IN_PICTURE}, {"type": "input_image", "image_url": PICTURE}])])
    same((response["status"], text_of(response)), ("completed", "A red dot."))
    picture_reached()


def several_turns():
    said = [message("user", "My name is Ada"), message("assistant", "Good day, Ada."), message("user", "What is my name?")]
    response = whole(said)
    same((response["status"], text_of(response)), ("completed", "Your name is Ada."))
    same(words(), [item["content"] for item in said])


def reasoning_in_both_forms():
    asked = [message("user", THINK)]
    sealed = ["reasoning.encrypted_content"]
    response = whole(asked, tools=[FUNCTION], include=sealed)
    same(kinds(response), ["reasoning", "function_call"])
    _, response = streamed(asked, tools=[FUNCTION], include=sealed)
    same(kinds(response), ["reasoning", "function_call"])


def results_go_back_as_items():
    first = whole([message("user", "Compare the weather")], tools=[FUNCTION])
    call = next(item for item in first["output"] if item["type"] == "function_call")
    result = {"type": "function_call_output", "call_id": call["call_id"], "output": "Leeds: 12"}
    second = whole([result], previous_response_id=first["id"], tools=[FUNCTION])
    same(("function_call" in kinds(second), second["previous_response_id"]), (True, first["id"]))


def a_failed_stream():
    events, response = streamed([message("user", "Break off")])
    same((events[-1]["type"], response["status"]), ("response.failed", "failed"))


def in_the_background():
    response = whole([message("user", "Say hello.")], background=True)
    same((response["background"], response["status"] in ("queued", "in_progress", "completed")), (True, True))


run("openresponses-types", a_basic_text_response, a_streamed_response, a_system_prompt, a_tool_call, a_streamed_tool_call, a_picture,
    several_turns, reasoning_in_both_forms, results_go_back_as_items, a_failed_stream, in_the_background)
