"""LlamaIndex with its class for servers that are like OpenAI's."""
import asyncio

import pydantic
from checks import (ADA, BASE_URL, COMPARED, DOT, FIRST, HELLO, IN_PICTURE, PICTURE, ROUNDS, WEATHER, asked, received, run, same)
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
from llama_index.llms.openai_like import OpenAILike

llm = OpenAILike(model="engross", api_base=BASE_URL, api_key="unused", is_chat_model=True, is_function_calling_model=True, max_retries=0,
                 context_window=32000)


class Person(pydantic.BaseModel):
    """Somebody."""

    name: str
    born: int


def get_weather(city: str) -> str:
    """The temperature in a city."""
    return WEATHER[city]


def whole_and_streamed_answers():
    same(str(llm.complete("Say hello.")), HELLO)
    same("".join(part.delta for part in llm.stream_chat([ChatMessage("Say hello.")])), HELLO)


def agent_with_tools():
    async def go():
        return await FunctionAgent(tools=[get_weather], llm=llm).run("Compare the weather.")

    same((str(asyncio.run(go())), asked()), (COMPARED, ROUNDS))


def typed_answer():
    same(llm.as_structured_llm(Person).complete(FIRST).raw, Person(**ADA))


def picture_reaches_the_model():
    blocks = [TextBlock(text=IN_PICTURE), ImageBlock(url=PICTURE)]
    same(llm.chat([ChatMessage(role="user", blocks=blocks)]).message.content, DOT)
    parts = received()["messages"][-1]["content"]
    same([part["image_url"]["url"] for part in parts if part["type"] == "image_url"], [PICTURE])


run("llama-index-llms-openai-like", whole_and_streamed_answers, agent_with_tools, typed_answer, picture_reaches_the_model)
