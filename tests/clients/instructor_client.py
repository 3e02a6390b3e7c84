"""`instructor`: typed answers, in each of its ways."""
import instructor
import openai
import pydantic
from checks import ADA, BASE_URL, FIRST, IN_PICTURE, PNG, PICTURE, fails, received, run, same, schema_reached


class Person(pydantic.BaseModel):
    """Somebody."""

    name: str
    born: int


def ask(mode, **more):
    client = instructor.from_openai(openai.OpenAI(base_url=BASE_URL, api_key="unused", max_retries=0), mode=mode)
    more.setdefault("messages", [{"role": "user", "content": FIRST}])
    # Some ways give a class that is made of this one.
    return client.chat.completions.create(model="engross", response_model=Person, max_retries=0, **more).model_dump()


def by_a_function():
    same(ask(instructor.Mode.TOOLS), ADA)
    body = received()
    same((body["tools"][0]["function"]["name"], body["tool_choice"]["function"]["name"]), ("Person", "Person"))


def by_a_strict_function():
    same(ask(instructor.Mode.TOOLS_STRICT), ADA)
    same(sorted(received()["tools"][0]["function"]["parameters"]["properties"]), ["born", "name"])


def by_a_schema():
    same(ask(instructor.Mode.JSON_SCHEMA), ADA)
    schema_reached()


def by_json():
    same(ask(instructor.Mode.JSON), ADA)
    same(received()["response_format"]["type"], "json_object")


def by_markdown():
    same(ask(instructor.Mode.MD_JSON), ADA)


def with_a_picture():
    picture = instructor.Image.from_raw_base64(PNG)
    same(ask(instructor.Mode.TOOLS, messages=[{"role": "user", "content": [FIRST, IN_PICTURE.lower(), picture]}]), ADA)
    parts = [part for message in received()["messages"] for part in message["content"] if isinstance(message["content"], list)]
    same([part["image_url"]["url"] for part in parts if part["type"] == "image_url"], [PICTURE])


def what_does_not_fit_is_an_error():
    fails(Exception, lambda: ask(instructor.Mode.JSON_SCHEMA, messages=[{"role": "user", "content": "Say hello."}]))


run("instructor", by_a_function, by_a_strict_function, by_a_schema, by_json, by_markdown, with_a_picture,
    what_does_not_fit_is_an_error)
