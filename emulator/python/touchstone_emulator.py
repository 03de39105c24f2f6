"""Fixtures for pytest that run tests against the touchstone emulator. Needs Python 3.9 or later, and no other package.

`pip install` of the directory of this file makes the fixtures available in every test.

The fixture `emulator` gives every test its own account, so that parallel tests do not affect each other. The first test
starts the emulator with `npx --no touchstone emulator`, which needs an installed package and downloads none.
TOUCHSTONE_COMMAND names another command, and TOUCHSTONE_URL an emulator that already runs, for example in a container.
"""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import urllib.error
import urllib.request

import pytest

KEY = "sk-svc-touchstone-funded"
NO_CREDITS_KEY = "sk-svc-touchstone-empty"

REMEDY = (
    "Install Node.js 22.22 or later, and touchstone with npm in the directory of the tests or above it. Or set "
    "TOUCHSTONE_COMMAND to a command that starts the emulator, or TOUCHSTONE_URL to the URL of a running emulator."
)


class Emulator:
    """A running emulator, and an account of it."""

    def __init__(self, url, key=KEY, account="funded"):
        self.url = url
        self.key = key
        self.account = account
        self._added = []

    def client_options(self, key=None):
        """Returns the options of the OpenAI client: OpenAI(**emulator.client_options())."""
        return {"base_url": f"{self.url}/v1", "api_key": key or self.key}

    def add_fixtures(self, *fixtures):
        """Scripts responses for this account. The fields are those of a fixtures file."""
        scoped = [{"account": self.account, **fixture} for fixture in fixtures]
        self._remember("fixtures", self.control("POST", "fixtures", scoped))

    def add_fault(self, **rule):
        """Injects a fault into responses for this account, for example add_fault(status=500, times=2)."""
        self._remember("faults", self.control("POST", "faults", {"account": self.account, **rule}))

    def create_account(self, credits, **options):
        """Creates an account with `credits` (a decimal number as text), and returns its key."""
        return self.control("POST", "accounts", {"credits": credits, **options})["key"]

    def set_credits(self, credits):
        """Sets the available credits of this account to a decimal number as text."""
        self.control("PATCH", f"accounts/{self.account}", {"credits": credits})

    def balance(self):
        """Returns the credits of this account as texts: credits (available), held, charged."""
        accounts = self.control("GET", "accounts")["accounts"]
        return next(account for account in accounts if account["id"] == self.account)

    def requests(self):
        """Returns the request log of this account. The request that ended first is the first entry.

        With `--request-log bodies=65536`, `bodies` contains the texts of the request and of the response.
        """
        return self.control("GET", f"request-log?limit=1000&account={self.account}")["entries"]

    def control(self, method, path, body=None):
        """Calls the control API, and returns the JSON of the response."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/__emulator/{path}", data, method=method)
        request.add_header("Content-Type", "application/json")
        if "TOUCHSTONE_CONTROL_TOKEN" in os.environ:
            request.add_header("x-touchstone-token", os.environ["TOUCHSTONE_CONTROL_TOKEN"])
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=30) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"The emulator rejected {method} {path}: {error.read().decode()}") from None
        except urllib.error.URLError as error:
            raise RuntimeError(f"No emulator responds at {self.url} (TOUCHSTONE_URL): {error.reason}") from None
        return json.loads(text) if text else None

    def remove_added(self):
        """Removes the fixtures and faults that were added for this account."""
        for kind, name in self._added:
            with contextlib.suppress(RuntimeError):  # The test may have removed it.
                self.control("DELETE", f"{kind}/{name}")
        self._added = []

    def _remember(self, kind, response):
        self._added += [(kind, entry["id"]) for entry in response[kind]]


@contextlib.contextmanager
def start_emulator(*arguments):
    """Starts an emulator with command line arguments, and stops it at the end of the `with` block."""
    command = shlex.split(os.environ.get("TOUCHSTONE_COMMAND", "npx --no touchstone emulator"))
    try:
        process = subprocess.Popen(
            [*command, "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=os.name == "posix",
        )
    except FileNotFoundError:
        raise RuntimeError(f"There is no {command[0]} on the PATH. {REMEDY}") from None
    try:
        line = process.stdout.readline()
        url = re.search(r"ready at (\S+)", line)
        if url is None:
            raise RuntimeError(f"{shlex.join(command)} did not start: {line}{process.stdout.read()}\n{REMEDY}")
        yield Emulator(url.group(1))
    finally:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGTERM)  # npx does not forward the signal to the emulator.
        else:
            process.terminate()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="session")
def emulator_arguments():
    """Further arguments of the emulator. Override this fixture in conftest.py, for example with --latency typical."""
    return []


@pytest.fixture(scope="session")
def shared_emulator(emulator_arguments):
    """The emulator of all tests."""
    if "TOUCHSTONE_URL" in os.environ:
        yield Emulator(os.environ["TOUCHSTONE_URL"].rstrip("/"))
        return
    with start_emulator("--strict-fixtures", "--request-log", "bodies=65536", *emulator_arguments) as started:
        yield started


@pytest.fixture
def emulator(shared_emulator):
    """An account with 1000 credits for one test. Its fixtures and faults are removed after the test."""
    account = shared_emulator.control("POST", "accounts", {"credits": "1000"})
    own = Emulator(shared_emulator.url, account["key"], account["id"])
    yield own
    own.remove_added()
