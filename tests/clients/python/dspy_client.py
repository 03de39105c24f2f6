import asyncio
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # Otherwise LiteLLM downloads a list of prices.

import dspy
from scenario import *


class Weather(dspy.Signature):
    """Give the weather in Paris as JSON."""

    question: str = dspy.InputField()
    city: str = dspy.OutputField()
    celsius: int = dspy.OutputField()


def create_model(key=KEY, model=MODEL):
    return dspy.LM(f"openai/{model}", api_base=URL, api_key=key, cache=False)


@scenario
def chat():
    return create_model()(HELLO)[0]


@scenario
def wrong_key():
    return status_of(lambda: create_model(WRONG_KEY)(HELLO))


@scenario
def no_credits():
    return status_of(lambda: create_model(NO_CREDITS_KEY)(HELLO))


@scenario
def retries():
    return create_model()(FAIL_ONCE)[0]


class Ask(dspy.Module):
    async def aforward(self, question):
        return dspy.Prediction(answer=await dspy.settings.lm.acall(question))


async def texts(question, model=MODEL):
    with dspy.context(lm=create_model(model=model)):
        async for part in dspy.streamify(Ask(), is_async_program=True)(question=question):
            if not isinstance(part, dspy.Prediction):
                yield part.choices[0].delta.content


async def read(question, model=MODEL):
    return "".join([text async for text in texts(question, model) if text])


@scenario
def stream():
    return asyncio.run(read(HELLO))


@scenario
def broken_stream():
    return outcome_of(lambda: asyncio.run(read(HELLO, BREAKING_MODEL)))


@scenario
def abort():
    return asyncio.run(cancel_after_first(texts(COUNT, SLOW_MODEL)))


def create_agent():
    calls = []

    def get_weather(city: str) -> str:
        """Returns the weather in a city."""
        calls.append({"city": city})
        return "21 degrees"

    return dspy.ReAct("question -> answer", tools=[get_weather]), calls


@scenario
def tools():
    agent, calls = create_agent()
    with dspy.context(lm=create_model(), adapter=dspy.JSONAdapter()):
        return {"text": agent(question=ASK_WEATHER).answer, "calls": calls}


@scenario
def streamed_tools():
    async def read():
        agent, calls = create_agent()
        with dspy.context(lm=create_model(), adapter=dspy.JSONAdapter()):
            parts = [part async for part in dspy.streamify(agent)(question=ASK_WEATHER)]
        return {"text": parts[-1].answer, "calls": calls}

    return asyncio.run(read())


@scenario
def structured():
    with dspy.context(lm=create_model(), adapter=dspy.JSONAdapter()):
        weather = dspy.Predict(Weather)(question=ASK_JSON)
    return {"city": weather.city, "celsius": weather.celsius}


main()
