import asyncio
import io
import json
import os
import urllib.request

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # Otherwise LiteLLM downloads a list of prices.

import litellm
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


def complete(messages, key=KEY, model=MODEL, **fields):
    return litellm.completion(model=f"openai/{model}", api_base=URL, api_key=key, messages=messages, **fields)


def ask(text, key=KEY, **fields):
    return complete([{"role": "user", "content": text}], key, **fields)


def read(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


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
    return ask(FAIL_ONCE, num_retries=2).choices[0].message.content


@scenario
def broken_stream():
    return outcome_of(lambda: read(ask(HELLO, model=BREAKING_MODEL, stream=True)))


@scenario
def abort():
    async def texts():
        messages = [{"role": "user", "content": COUNT}]
        fields = {"api_base": URL, "api_key": KEY, "stream": True}
        async for chunk in await litellm.acompletion(model=f"openai/{SLOW_MODEL}", messages=messages, **fields):
            yield chunk.choices[0].delta.content

    return asyncio.run(cancel_after_first(texts()))


def loop(finish):
    messages, calls = [{"role": "user", "content": ASK_WEATHER}], []
    while True:
        message = finish(messages).choices[0].message
        if not message.tool_calls:
            return {"calls": calls, "text": message.content}
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            calls.append(json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "21 degrees"})


@scenario
def tools():
    return loop(lambda messages: complete(messages, tools=TOOLS))


@scenario
def streamed_tools():
    return loop(lambda messages: litellm.stream_chunk_builder(list(complete(messages, tools=TOOLS, stream=True))))


@scenario
def structured():
    return json.loads(ask(ASK_JSON, response_format=Weather).choices[0].message.content)


@scenario
def image():
    images = litellm.image_generation(model="openai/vendorc-4o", api_base=URL, api_key=KEY, prompt="a harbor")
    return urllib.request.urlopen(images.data[0].url).read()[1:4].decode()


@scenario
def audio():
    fields = {"api_base": URL, "api_key": KEY}
    speech = litellm.speech(model="openai/vendorc-4o", voice="alloy", input="The rain has stopped.", **fields)
    file = io.BytesIO(speech.content)
    file.name = "speech.mp3"
    return litellm.transcription(model=f"openai/{SLOW_MODEL}", file=file, **fields).text


main()
