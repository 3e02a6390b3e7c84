"""LangChain for Python, with its class for OpenAI's API."""
import pydantic
from checks import (ADA, BASE_URL, COMPARED, DOT, FIRST, HELLO, IN_PICTURE, PICTURE, ROUNDS, WEATHER, asked, fails, picture_reached, run,
                    same, schema_reached, session, words)
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


class Person(pydantic.BaseModel):
    """Somebody."""

    name: str
    born: int


def model(**more):
    return ChatOpenAI(model="engross", base_url=BASE_URL, api_key="unused", max_retries=0, **more)


@tool
def get_weather(city: str) -> str:
    """The temperature in a city."""
    return WEATHER[city]


def whole_answer():
    same(model().invoke("Say hello.").content, HELLO)


def streamed_answer():
    pieces = [chunk.content for chunk in model().stream("Say hello.")]
    same(("".join(pieces), len(pieces) > 2), (HELLO, True))


def picture_reaches_the_model():
    parts = [{"type": "text", "text": IN_PICTURE}, {"type": "image_url", "image_url": {"url": PICTURE}}]
    same(model().invoke([HumanMessage(parts)]).content, DOT)
    picture_reached()


def schema_reaches_the_model():
    same(model().with_structured_output(Person, method="json_schema").invoke(FIRST), Person(**ADA))
    schema_reached()


def structured_output_by_a_function():
    same(model().with_structured_output(Person, method="function_calling").invoke(FIRST), Person(**ADA))


def tools(**more):
    bound, messages = model(**more).bind_tools([get_weather]), [HumanMessage("Compare the weather.")]
    answer = bound.invoke(messages)
    while answer.tool_calls:
        messages += [answer, *(ToolMessage(WEATHER[call["args"]["city"]], tool_call_id=call["id"]) for call in answer.tool_calls)]
        answer = bound.invoke(messages)
    same((answer.text, asked()), (COMPARED, ROUNDS))


def tools_by_whole_history():
    tools(default_headers=session())


def tools_without_a_session():
    tools()


def tools_by_responses():
    tools(use_responses_api=True)


def branches_see_only_their_own_past():
    responses = model(use_responses_api=True)
    root = responses.invoke("Say hello.").response_metadata["id"]
    for way, said in (("Go left.", "Left it is."), ("Go right.", "Right it is.")):
        same(responses.invoke(way, previous_response_id=root).text, said)
        same(words(), ["Say hello.", HELLO, way])


def refusal_of_the_model():
    error = fails(Exception, lambda: model().invoke("Be refused."))
    same(getattr(error, "status_code", None), 400)


run("langchain-openai", whole_answer, streamed_answer, picture_reaches_the_model, schema_reaches_the_model,
    structured_output_by_a_function, tools_by_whole_history, tools_without_a_session, tools_by_responses,
    branches_see_only_their_own_past, refusal_of_the_model)
