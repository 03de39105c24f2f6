import instructor
from openai import OpenAI
from pydantic import BaseModel
from scenario import *


class Weather(BaseModel):
    city: str
    celsius: int


def ask(text, key=KEY, model=MODEL, response_model=Weather, **fields):
    client = instructor.from_openai(OpenAI(base_url=URL, api_key=key))
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model=model, response_model=response_model, messages=messages, **fields)


def texts(text, model=MODEL):
    for chunk in ask(text, model=model, response_model=None, stream=True):
        yield chunk.choices[0].delta.content if chunk.choices else None


@scenario
def chat():
    return ask(HELLO, response_model=None).choices[0].message.content


@scenario
def stream(message=HELLO):
    return "".join(text for text in texts(message) if text)


@scenario
def wrong_key():
    return status_of(lambda: ask(ASK_JSON, WRONG_KEY, max_retries=0))


@scenario
def no_credits():
    return status_of(lambda: ask(ASK_JSON, NO_CREDITS_KEY, max_retries=0))


@scenario
def retries():
    return ask(FAIL_ONCE, response_model=None).choices[0].message.content


@scenario
def broken_stream():
    return outcome_of(lambda: list(texts(HELLO, BREAKING_MODEL)))


@scenario
def abort():
    with ask(COUNT, model=SLOW_MODEL, response_model=None, stream=True) as chunks:
        return next(text for chunk in chunks if (text := chunk.choices[0].delta.content))


@scenario
def structured():
    return ask(ASK_JSON).model_dump()


main()
