"""`smolagents`: its model class, and an agent that calls tools."""
import PIL.Image
from checks import BASE_URL, DOT, HELLO, IN_PICTURE, WEATHER, received, run, same
from smolagents import OpenAIModel, Tool, ToolCallingAgent
from smolagents.monitoring import LogLevel

model = OpenAIModel(model_id="engross", api_base=BASE_URL, api_key="unused", client_kwargs={"max_retries": 0})


class Weather(Tool):
    name = "get_weather"
    description = "The temperature in a city."
    inputs = {"city": {"type": "string", "description": "Its name."}}
    output_type = "string"

    def forward(self, city: str) -> str:
        return WEATHER[city]


def user(*parts):
    return [{"role": "user", "content": list(parts)}]


def whole_answer():
    same(model.generate(user({"type": "text", "text": "Say hello."})).content, HELLO)


def streamed_answer():
    deltas = [delta.content or "" for delta in model.generate_stream(user({"type": "text", "text": "Say hello."}))]
    same("".join(deltas), HELLO)


def picture_reaches_the_model():
    picture = PIL.Image.new("RGB", (1, 1), "red")
    said = model.generate(user({"type": "text", "text": IN_PICTURE}, {"type": "image", "image": picture}))
    same(said.content, DOT)
    parts = received()["messages"][-1]["content"]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    same((len(urls), urls[0].startswith("data:image/png;base64,iVBOR")), (1, True))


def agent_calls_its_tool():
    agent = ToolCallingAgent(tools=[Weather()], model=model, verbosity_level=LogLevel.OFF, max_steps=3)
    same(agent.run("Fetch the weather."), "12 in Leeds.")
    body = received()
    same((body["tool_choice"], WEATHER["Leeds"] in str(body["messages"])), ("required", True))



run("smolagents", whole_answer, streamed_answer, picture_reaches_the_model, agent_calls_its_tool)
