"""Finds the browser that the tests drive. As a program it prints the path, or nothing."""

import os
import shutil

NAMES = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]


def chromium():
    """The path of $CHROMIUM or of an installed Chromium or Chrome; None if there is none."""
    names = [os.environ.get("CHROMIUM"), *NAMES]
    return next((path for name in names if name and (path := shutil.which(name))), None)


if __name__ == "__main__":
    print(chromium() or "", end="")
