import instructor
from openai import OpenAI
from pydantic import BaseModel
from scenario import *


class Weather(BaseModel):
    city: str
    celsius: int


def ask(text, key=KEY, **fields):
    client = instructor.from_openai(OpenAI(base_url=URL, api_key=key))
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model=MODEL, response_model=Weather, messages=messages, **fields)


@scenario
def wrong_key():
    return status_of(lambda: ask(ASK_JSON, WRONG_KEY, max_retries=0))


@scenario
def no_credits():
    return status_of(lambda: ask(ASK_JSON, NO_CREDITS_KEY, max_retries=0))


@scenario
def structured():
    return ask(ASK_JSON).model_dump()


main()
