from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel
from scenario import *


class Weather(BaseModel):
    """The weather in a city."""

    city: str
    celsius: int


def create_model(key=KEY, model=MODEL):
    return OpenAILike(model=model, api_base=URL, api_key=key, is_chat_model=True, is_function_calling_model=True)


def prompt(text):
    return [ChatMessage(role="user", content=text)]


async def ask(text, key=KEY):
    return (await create_model(key).achat(prompt(text))).message.content


async def read(text, model=MODEL):
    return "".join([part.delta async for part in await create_model(model=model).astream_chat(prompt(text))])


register_completions(ask)


@scenario
async def stream():
    return await read(HELLO)


@scenario
async def broken_stream():
    return await async_outcome_of(lambda: read(HELLO, BREAKING_MODEL))


@scenario
async def abort():
    async def texts():
        async for part in await create_model(model=SLOW_MODEL).astream_chat(prompt(COUNT)):
            yield part.delta

    return await cancel_after_first(texts())


async def loop(streaming):
    calls, text = [], ""

    def get_weather(city: str) -> str:
        """Returns the weather in a city."""
        calls.append({"city": city})
        return "21 degrees"

    agent = FunctionAgent(tools=[get_weather], llm=create_model(), streaming=streaming)
    run = agent.run(ASK_WEATHER)
    async for event in run.stream_events():
        if isinstance(event, AgentStream):
            text += event.delta
    final = str(await run)
    return {"calls": calls, "text": text if streaming else final}


@scenario
async def tools():
    return await loop(streaming=False)


@scenario
async def streamed_tools():
    return await loop(streaming=True)


@scenario
async def structured():
    return (await create_model().as_structured_llm(Weather).achat(prompt(ASK_JSON))).raw.model_dump()


main()
