"""Where Chromium is and how it is started: offline, and as root where tests run as root."""

import os
import shutil
from typing import TypedDict


class LaunchOptions(TypedDict):
    """What `playwright.chromium.launch` takes."""

    executable_path: str
    args: list[str]


def launch_options() -> LaunchOptions:
    """Return the options; a missing Chromium is a failure."""
    path = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )
    assert path, "Chromium is not installed (apt-get install chromium)"
    arguments = (
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--autoplay-policy=no-user-gesture-required",
    )
    return {"executable_path": path, "args": list(arguments)}
