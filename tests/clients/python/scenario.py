"""Runs the scenarios of a client program and prints their results as one JSON object."""

import asyncio
import functools
import inspect
import json
import os

URL = os.environ["TOUCHSTONE_URL"] + "/v1"
KEY = os.environ["TOUCHSTONE_KEY"]
NO_CREDITS_KEY = os.environ["TOUCHSTONE_KEY_NO_CREDITS"]
WRONG_KEY = "sk-svc-wrong-key"

MODEL = "vendora-v4-flash"
BREAKING_MODEL = "vendora-v4-pro"
SLOW_MODEL = "o3-mini"

HELLO = "Say hello."
FAIL_ONCE = "Fail once."
COUNT = "Count to a hundred."
ASK_WEATHER = "What is the weather in Paris?"
ASK_JSON = "Give the weather in Paris as JSON."

# Messages to which the emulator responds with the same text, but with a stream of another form.
FORMS = json.loads(os.environ.get("TOUCHSTONE_FORMS", "[]"))

_scenarios = []


def scenario(function):
    """Registers a function, whose name is the scenario."""
    _scenarios.append(function)
    return function


def register_completions(ask):
    """Registers the scenarios of one completion, from an asynchronous function of a text and a key."""

    @scenario
    async def chat():
        return await ask(HELLO)

    @scenario
    async def wrong_key():
        return await async_status_of(lambda: ask(HELLO, WRONG_KEY))

    @scenario
    async def no_credits():
        return await async_status_of(lambda: ask(HELLO, NO_CREDITS_KEY))

    @scenario
    async def retries():
        return await ask(FAIL_ONCE)


def _list_calls(results):
    """Lists the calls of all scenarios, each with the dictionary and the key for its result."""
    results["forms"] = {}
    stream = next(function for function in _scenarios if function.__name__ == "stream")
    calls = [(results, function.__name__, function) for function in _scenarios]
    return calls + [(results["forms"], form, functools.partial(stream, form)) for form in FORMS]


async def _run_all():
    results = {}
    for target, key, call in _list_calls(results):
        try:
            result = call()
            target[key] = await result if inspect.isawaitable(result) else result
        except BaseException as error:
            target[key] = _describe(error)
    return results


def _run_one_by_one():
    results = {}
    for target, key, call in _list_calls(results):
        try:
            target[key] = call()
        except BaseException as error:
            target[key] = _describe(error)
    return results


def _describe(error):
    """Returns a result that never equals the expected one."""
    return {"error": f"{type(error).__name__}: {error}"[:500]}


def main():
    """Runs asynchronous scenarios in one event loop, and synchronous ones without."""
    asynchronous = any(inspect.iscoroutinefunction(function) for function in _scenarios)
    print(json.dumps(asyncio.run(_run_all()) if asynchronous else _run_one_by_one()))


def find_status(error):
    """Returns the HTTP status of an exception, or of one that caused it."""
    while error is not None:
        status = getattr(error, "status_code", None) or getattr(error, "status", None)
        if isinstance(status, int):
            return status
        error = error.__cause__ or error.__context__
    return None


def status_of(call):
    try:
        call()
    except Exception as error:
        return find_status(error) or f"{type(error).__name__}: {error}"
    return "served"


async def async_status_of(call):
    try:
        await call()
    except Exception as error:
        return find_status(error) or f"{type(error).__name__}: {error}"
    return "served"


async def cancel_after_first(texts):
    """Returns the first text of an asynchronous iterator, and cancels the task that reads the rest."""
    first = asyncio.get_running_loop().create_future()

    async def read():
        async for text in texts:
            if text and not first.done():
                first.set_result(text)

    task = asyncio.create_task(read())
    await asyncio.wait([task, first], return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
    await asyncio.wait([task])
    return first.result() if first.done() else task.exception()


def outcome_of(call):
    try:
        return f"ended without an error: {call()}"
    except Exception:
        return "raised"


async def async_outcome_of(call):
    try:
        return f"ended without an error: {await call()}"
    except Exception:
        return "raised"
