import json

from llm.default_plugins.openai_models import Chat
from pydantic import BaseModel
from scenario import *


class Weather(BaseModel):
    city: str
    celsius: int


def ask(text, key=KEY, model=MODEL, **fields):
    chat = Chat(model, api_base=URL, supports_tools=True, supports_schema=True)
    return chat.prompt(text, key=key, **fields)


@scenario
def chat():
    return ask(HELLO, stream=False).text()


@scenario
def stream():
    return "".join(ask(HELLO, stream=True))


@scenario
def wrong_key():
    return status_of(lambda: ask(HELLO, WRONG_KEY).text())


@scenario
def no_credits():
    return status_of(lambda: ask(HELLO, NO_CREDITS_KEY).text())


@scenario
def retries():
    return ask(FAIL_ONCE).text()


@scenario
def broken_stream():
    return outcome_of(lambda: ask(HELLO, model=BREAKING_MODEL).text())


@scenario
def abort():
    chunks = iter(ask(COUNT, model=SLOW_MODEL))
    first = next(chunk for chunk in chunks if chunk)
    chunks.close()
    return first


def loop(**fields):
    calls = []

    def get_weather(city: str) -> str:
        """Returns the weather in a city."""
        calls.append({"city": city})
        return "21 degrees"

    chat = Chat(MODEL, api_base=URL, supports_tools=True)
    return {"text": chat.chain(ASK_WEATHER, tools=[get_weather], key=KEY, **fields).text(), "calls": calls}


@scenario
def tools():
    return loop(stream=False)


@scenario
def streamed_tools():
    return loop(stream=True)


@scenario
def structured():
    return json.loads(ask(ASK_JSON, schema=Weather).text())


main()
