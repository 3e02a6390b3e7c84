"""Microsoft's Semantic Kernel, for Python."""
import asyncio

import pydantic
from checks import ADA, BASE_URL, DOT, FIRST, HELLO, IN_PICTURE, PICTURE, WEATHER, asked, picture_reached, run, same, schema_reached
from openai import AsyncOpenAI
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai.function_choice_behavior import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory, ChatMessageContent, ImageContent, TextContent
from semantic_kernel.functions import kernel_function


class Person(pydantic.BaseModel):
    name: str
    born: int


class Weather:
    @kernel_function(name="weather", description="The temperature in a city.")
    def weather(self, city: str) -> str:
        return WEATHER[city]


def go(history, streamed=False, **settings):
    async def run_it():
        client = AsyncOpenAI(base_url=BASE_URL, api_key="unused", max_retries=0)
        service, kernel = OpenAIChatCompletion(ai_model_id="engross", async_client=client), Kernel()
        # Plugin and function are joined: the model calls get_weather.
        kernel.add_plugin(Weather(), plugin_name="get")
        settings_of_it = OpenAIChatPromptExecutionSettings(**settings)
        if not streamed:
            return str(await service.get_chat_message_content(history, settings_of_it, kernel=kernel))
        pieces = service.get_streaming_chat_message_content(history, settings_of_it, kernel=kernel)
        return "".join([str(piece) async for piece in pieces if piece])

    return asyncio.run(run_it())


def said(text):
    history = ChatHistory()
    history.add_user_message(text)
    return history


def whole_and_streamed_answers():
    same((go(said("Say hello.")), go(said("Say hello."), streamed=True)), (HELLO, HELLO))


def picture_reaches_the_model():
    history = ChatHistory()
    history.add_message(ChatMessageContent(role="user", items=[TextContent(text=IN_PICTURE), ImageContent(data_uri=PICTURE)]))
    same(go(history), DOT)
    picture_reached()


def schema_reaches_the_model():
    same(Person.model_validate_json(go(said(FIRST), response_format=Person)), Person(**ADA))
    schema_reached()


def functions_are_called():
    go(said("Compare the weather."), function_choice_behavior=FunctionChoiceBehavior.Auto())
    same(asked()[:2], ["user", "assistant+get_weather"])


run("semantic-kernel", whole_and_streamed_answers, picture_reaches_the_model, schema_reaches_the_model, functions_are_called)
