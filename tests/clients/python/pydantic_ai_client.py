from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from scenario import *


class Weather(BaseModel):
    city: str
    celsius: int


def create_agent(key=KEY, model=MODEL, **fields):
    return Agent(OpenAIChatModel(model, provider=OpenAIProvider(base_url=URL, api_key=key)), **fields)


async def ask(text, key=KEY, **fields):
    return (await create_agent(key, **fields).run(text)).output


async def read(agent, question):
    async with agent.run_stream(question) as result:
        return "".join([text async for text in result.stream_text(delta=True)])


register_completions(ask)


@scenario
async def stream(message=HELLO):
    return await read(create_agent(), message)


@scenario
async def broken_stream():
    return await async_outcome_of(lambda: read(create_agent(model=BREAKING_MODEL), HELLO))


async def texts(agent, question):
    async with agent.run_stream(question) as result:
        async for text in result.stream_text(delta=True, debounce_by=None):
            yield text


@scenario
async def abort():
    return await cancel_after_first(texts(create_agent(model=SLOW_MODEL), COUNT))


def create_agent_with_tool():
    agent, calls = create_agent(), []

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """Returns the weather in a city."""
        calls.append({"city": city})
        return "21 degrees"

    return agent, calls


@scenario
async def tools():
    agent, calls = create_agent_with_tool()
    return {"text": (await agent.run(ASK_WEATHER)).output, "calls": calls}


@scenario
async def streamed_tools():
    agent, calls = create_agent_with_tool()
    return {"text": await read(agent, ASK_WEATHER), "calls": calls}


@scenario
async def structured():
    return (await ask(ASK_JSON, output_type=Weather)).model_dump()


main()
