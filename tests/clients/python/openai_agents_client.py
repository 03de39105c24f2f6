from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel
from scenario import *

set_tracing_disabled(True)


class Weather(BaseModel):
    city: str
    celsius: int


def create_agent(key=KEY, model=MODEL, **fields):
    client = AsyncOpenAI(base_url=URL, api_key=key)
    return Agent(name="agent", model=OpenAIChatCompletionsModel(model=model, openai_client=client), **fields)


async def ask(text, key=KEY, **fields):
    return (await Runner.run(create_agent(key, **fields), text)).final_output


async def texts(agent, question):
    async for event in Runner.run_streamed(agent, question).stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            yield event.data.delta


register_completions(ask)


@scenario
async def stream(message=HELLO):
    return "".join([text async for text in texts(create_agent(), message)])


@scenario
async def broken_stream():
    async def read():
        return [text async for text in texts(create_agent(model=BREAKING_MODEL), HELLO)]

    return await async_outcome_of(read)


@scenario
async def abort():
    result = Runner.run_streamed(create_agent(model=SLOW_MODEL), COUNT)
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            result.cancel()
            return event.data.delta


def create_agent_with_tool():
    calls = []

    @function_tool
    def get_weather(city: str) -> str:
        """Returns the weather in a city."""
        calls.append({"city": city})
        return "21 degrees"

    return create_agent(tools=[get_weather]), calls


@scenario
async def tools():
    agent, calls = create_agent_with_tool()
    return {"calls": calls, "text": (await Runner.run(agent, ASK_WEATHER)).final_output}


@scenario
async def streamed_tools():
    agent, calls = create_agent_with_tool()
    return {"calls": calls, "text": "".join([text async for text in texts(agent, ASK_WEATHER)])}


@scenario
async def structured():
    return (await ask(ASK_JSON, output_type=Weather)).model_dump()


main()
