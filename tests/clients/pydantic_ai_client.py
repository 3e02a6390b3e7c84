"""`pydantic-ai`: over chat completions and over responses."""
import asyncio
import base64

import pydantic
from checks import (ADA, BASE_URL, COMPARED, DOT, FIRST, HELLO, IN_PICTURE, PNG, ROUNDS, THINK, THOUGHTS, WEATHER, asked, picture_reached,
                    run, same, schema_reached, thoughts_reached)
from openai import AsyncOpenAI
from pydantic_ai import Agent, BinaryContent, NativeOutput
from pydantic_ai.messages import ThinkingPart
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

KINDS = [OpenAIChatModel, OpenAIResponsesModel]


class Person(pydantic.BaseModel):
    name: str
    born: int


def get_weather(city: str) -> str:
    """The temperature in a city."""
    return WEATHER[city]


def go(kind, wish, streamed=False, **more):
    async def run_it():
        client = AsyncOpenAI(base_url=BASE_URL, api_key="unused", max_retries=0)
        agent = Agent(kind("engross", provider=OpenAIProvider(openai_client=client)), **more)
        if not streamed:
            return await agent.run(wish)
        async with agent.run_stream(wish) as result:
            return await result.get_output()

    return asyncio.run(run_it())


def whole_and_streamed_answers():
    for kind in KINDS:
        same((go(kind, "Say hello.").output, go(kind, "Say hello.", streamed=True)), (HELLO, HELLO))


def tools():
    for kind in KINDS:
        same((go(kind, "Compare the weather.", tools=[get_weather]).output, asked()), (COMPARED, ROUNDS))


def typed_by_a_tool():
    same(go(OpenAIChatModel, FIRST, output_type=Person).output, Person(**ADA))


def schema_reaches_the_model():
    for kind in KINDS:
        same(go(kind, FIRST, output_type=NativeOutput(Person)).output, Person(**ADA))
        schema_reached()


def picture_reaches_the_model():
    picture = BinaryContent(base64.b64decode(PNG), media_type="image/png")
    for kind in KINDS:
        same(go(kind, [IN_PICTURE, picture]).output, DOT)
        picture_reached()


def reasoning_is_shown_and_comes_back():
    result = go(OpenAIChatModel, THINK, tools=[get_weather])
    same(result.output, "12 in Leeds.")
    shown = [part.content for message in result.all_messages() for part in message.parts if isinstance(part, ThinkingPart)]
    same(shown, [*THOUGHTS, "That is all."])
    thoughts_reached()


run("pydantic-ai-slim", whole_and_streamed_answers, tools, typed_by_a_tool, schema_reaches_the_model, picture_reaches_the_model,
    reasoning_is_shown_and_comes_back)
