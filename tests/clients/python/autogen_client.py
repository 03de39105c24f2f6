import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import ModelClientStreamingChunkEvent
from autogen_core import CancellationToken
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import BaseModel
from scenario import *


class Weather(BaseModel):
    city: str
    celsius: int


def create_client(key=KEY, model=MODEL):
    info = {
        "vision": False,
        "function_calling": True,
        "json_output": True,
        "structured_output": True,
        "family": "unknown",
    }
    return OpenAIChatCompletionClient(model=model, base_url=URL, api_key=key, model_info=info)


def prompt(text):
    return [UserMessage(content=text, source="user")]


async def ask(text, key=KEY, **fields):
    return (await create_client(key).create(prompt(text), **fields)).content


async def read(text, model=MODEL):
    return "".join([part async for part in create_client(model=model).create_stream(prompt(text)) if isinstance(part, str)])


register_completions(ask)


@scenario
async def stream():
    return await read(HELLO)


@scenario
async def broken_stream():
    return await async_outcome_of(lambda: read(HELLO, BREAKING_MODEL))


@scenario
async def abort():
    token = CancellationToken()
    stream = create_client(model=SLOW_MODEL).create_stream(prompt(COUNT), cancellation_token=token)
    first = await anext(stream)
    token.cancel()
    try:
        await anext(stream)
    except asyncio.CancelledError:
        return first


async def loop(streamed):
    calls, text = [], ""

    async def get_weather(city: str) -> str:
        """Returns the weather in a city."""
        calls.append({"city": city})
        return "21 degrees"

    agent = AssistantAgent(
        "agent", create_client(), tools=[get_weather], reflect_on_tool_use=True, model_client_stream=streamed
    )
    async for event in agent.run_stream(task=ASK_WEATHER):
        if isinstance(event, ModelClientStreamingChunkEvent):
            text += event.content
        elif hasattr(event, "messages") and not streamed:
            text = event.messages[-1].content
    return {"calls": calls, "text": text}


@scenario
async def tools():
    return await loop(streamed=False)


@scenario
async def streamed_tools():
    return await loop(streamed=True)


@scenario
async def structured():
    return Weather.model_validate_json(await ask(ASK_JSON, json_output=Weather)).model_dump()


main()
