import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # Otherwise LiteLLM downloads a list of prices.

import dspy
from scenario import *


class Weather(dspy.Signature):
    """Give the weather in Paris as JSON."""

    question: str = dspy.InputField()
    city: str = dspy.OutputField()
    celsius: int = dspy.OutputField()


def create_model(key=KEY):
    return dspy.LM(f"openai/{MODEL}", api_base=URL, api_key=key, cache=False)


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


@scenario
def structured():
    with dspy.context(lm=create_model(), adapter=dspy.JSONAdapter()):
        weather = dspy.Predict(Weather)(question=ASK_JSON)
    return {"city": weather.city, "celsius": weather.celsius}


main()
