"""Sets the version of the Python package to the version of the npm package that contains this directory."""

import json
import pathlib
import re

from setuptools import setup

here = pathlib.Path(__file__).parent
metadata = here / "PKG-INFO"  # A source distribution contains its version, but no package.json.
if metadata.exists():
    version = re.search(r"^Version: (.+)$", metadata.read_text(encoding="utf-8"), re.MULTILINE)[1]
else:
    version = json.loads((here.parents[1] / "package.json").read_text(encoding="utf-8"))["version"]

setup(version=version)
