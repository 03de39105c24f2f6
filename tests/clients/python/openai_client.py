import io
import json
import urllib.request

from openai import OpenAI
from pydantic import BaseModel
from scenario import *


class Weather(BaseModel):
    city: str
    celsius: int


TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]


def create_client(key=KEY):
    return OpenAI(base_url=URL, api_key=key)


client = create_client()


def ask(text, key=KEY, model=MODEL, **fields):
    return create_client(key).chat.completions.create(
        model=model, messages=[{"role": "user", "content": text}], **fields
    )


def read(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


@scenario
def models():
    return MODEL in [model.id for model in client.models.list()]


@scenario
def chat():
    return ask(HELLO).choices[0].message.content


@scenario
def stream(message=HELLO):
    return read(ask(message, stream=True))


@scenario
def wrong_key():
    return status_of(lambda: ask(HELLO, WRONG_KEY))


@scenario
def no_credits():
    return status_of(lambda: ask(HELLO, NO_CREDITS_KEY))


@scenario
def retries():
    return ask(FAIL_ONCE).choices[0].message.content


@scenario
def broken_stream():
    return outcome_of(lambda: read(ask(HELLO, model=BREAKING_MODEL, stream=True)))


@scenario
def abort():
    with ask(COUNT, model=SLOW_MODEL, stream=True) as chunks:
        return next(text for chunk in chunks if (text := chunk.choices[0].delta.content))


def loop(complete):
    messages, calls = [{"role": "user", "content": ASK_WEATHER}], []
    while True:
        message = complete(messages)
        if not message.tool_calls:
            return {"calls": calls, "text": message.content}
        messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
        for call in message.tool_calls:
            calls.append(json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "21 degrees"})


@scenario
def tools():
    return loop(
        lambda messages: client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS).choices[0].message
    )


@scenario
def streamed_tools():
    def complete(messages):
        with client.chat.completions.stream(model=MODEL, messages=messages, tools=TOOLS) as events:
            return events.get_final_completion().choices[0].message

    return loop(complete)


@scenario
def structured():
    messages = [{"role": "user", "content": ASK_JSON}]
    completion = client.chat.completions.parse(model=MODEL, messages=messages, response_format=Weather)
    return completion.choices[0].message.parsed.model_dump()


@scenario
def image():
    url = client.images.generate(model="vendorc-4o", prompt="a harbor", size="512x512").data[0].url
    return urllib.request.urlopen(url).read()[1:4].decode()


@scenario
def audio():
    speech = client.audio.speech.create(model="vendorc-4o", voice="alloy", input="The rain has stopped.")
    file = io.BytesIO(speech.content)
    file.name = "speech.mp3"
    return client.audio.transcriptions.create(model=SLOW_MODEL, file=file).text


main()
