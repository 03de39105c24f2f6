from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel
from scenario import *


class Weather(BaseModel):
    city: str
    celsius: int


@tool
def get_weather(city: str) -> str:
    """Returns the weather in a city."""
    return "21 degrees"


def create_model(key=KEY, model=MODEL):
    return ChatOpenAI(model=model, base_url=URL, api_key=key)


@scenario
def chat():
    return create_model().invoke(HELLO).content


@scenario
def stream(message=HELLO):
    return "".join(chunk.content for chunk in create_model().stream(message))


@scenario
def wrong_key():
    return status_of(lambda: create_model(WRONG_KEY).invoke(HELLO))


@scenario
def no_credits():
    return status_of(lambda: create_model(NO_CREDITS_KEY).invoke(HELLO))


@scenario
def retries():
    return create_model().invoke(FAIL_ONCE).content


@scenario
def broken_stream():
    return outcome_of(lambda: list(create_model(model=BREAKING_MODEL).stream(HELLO)))


@scenario
def abort():
    chunks = create_model(model=SLOW_MODEL).stream(COUNT)
    first = next(chunk.content for chunk in chunks if chunk.content)
    chunks.close()
    return first


def loop(complete):
    messages, calls = [HumanMessage(ASK_WEATHER)], []
    while True:
        message = complete(create_model().bind_tools([get_weather]), messages)
        if not message.tool_calls:
            return {"calls": calls, "text": message.content}
        messages.append(message)
        for call in message.tool_calls:
            calls.append(call["args"])
            messages.append(ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"]))


@scenario
def tools():
    return loop(lambda model, messages: model.invoke(messages))


@scenario
def streamed_tools():
    def complete(model, messages):
        chunks = list(model.stream(messages))
        return sum(chunks[1:], chunks[0])

    return loop(complete)


@scenario
def structured():
    return create_model().with_structured_output(Weather).invoke(ASK_JSON).model_dump()


main()
