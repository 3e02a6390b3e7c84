"""OpenAI's SDK for agents, for Python: over chat completions and over responses."""
import asyncio

import pydantic
from agents import (Agent, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled)
from checks import (ADA, BASE_URL, COMPARED, DOT, FIRST, HELLO, IN_PICTURE, PICTURE, ROUNDS, THINK, WEATHER, asked, picture_reached, run,
                    same, schema_reached, thoughts_reached, words)
from openai import AsyncOpenAI

set_tracing_disabled(True)
KINDS = {"chat": OpenAIChatCompletionsModel, "responses": OpenAIResponsesModel}


class Person(pydantic.BaseModel):
    name: str
    born: int


@function_tool
def get_weather(city: str) -> str:
    """The temperature in a city."""
    return WEATHER[city]


def go(kind, wish, streamed=False, previous=None, **more):
    """The result of a run. Each has a client of its own, since each has an event loop of its own."""
    async def run_it():
        client = AsyncOpenAI(base_url=BASE_URL, api_key="unused", max_retries=0)
        agent = Agent(name="tester", model=KINDS[kind](model="engross", openai_client=client), **more)
        if not streamed:
            return await Runner.run(agent, wish, previous_response_id=previous)
        result = Runner.run_streamed(agent, wish)
        async for _ in result.stream_events():
            pass
        return result

    return asyncio.run(run_it())


def whole_and_streamed_answers():
    for kind in KINDS:
        for streamed in (False, True):
            same(go(kind, "Say hello.", streamed).final_output, HELLO)


def tools():
    for kind in KINDS:
        for streamed in (False, True):
            same((go(kind, "Compare the weather.", streamed, tools=[get_weather]).final_output, asked()), (COMPARED, ROUNDS))


def schema_reaches_the_model():
    for kind in KINDS:
        same(go(kind, FIRST, output_type=Person).final_output, Person(**ADA))
        schema_reached()


def picture_reaches_the_model():
    parts = [{"type": "input_text", "text": IN_PICTURE}, {"type": "input_image", "image_url": PICTURE, "detail": "auto"}]
    for kind in KINDS:
        same(go(kind, [{"role": "user", "content": parts}]).final_output, DOT)
        picture_reached()


def encrypted_reasoning_comes_back():
    settings = ModelSettings(store=False, response_include=["reasoning.encrypted_content"])
    same(go("responses", THINK, tools=[get_weather], model_settings=settings).final_output, "12 in Leeds.")
    thoughts_reached()


def handoff():
    # The first tool that is offered is the handoff.
    async def run_it():
        client = AsyncOpenAI(base_url=BASE_URL, api_key="unused", max_retries=0)
        model = OpenAIChatCompletionsModel(model="engross", openai_client=client)
        greeter = Agent(name="greeter", model=model)
        first = Agent(name="first", model=model, handoffs=[greeter])
        return await Runner.run(first, "Who wrote the first program?")

    same(asyncio.run(run_it()).last_agent.name, "greeter")


def branches_see_only_their_own_past():
    root = go("responses", "Say hello.").last_response_id
    for way, said in (("Go left.", "Left it is."), ("Go right.", "Right it is.")):
        same(go("responses", way, previous=root).final_output, said)
        same(words(), ["Say hello.", HELLO, way])


run("openai-agents", whole_and_streamed_answers, tools, schema_reaches_the_model, picture_reaches_the_model,
    encrypted_reasoning_comes_back, handoff, branches_see_only_their_own_past)
