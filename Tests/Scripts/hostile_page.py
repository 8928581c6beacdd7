#!/usr/bin/env python3
"""Opens pages in a browser and prints as JSON what acted in each: scripts, dialogs, violations of its policy, requests.

    hostile_page.py ADDRESS [TEXT COMMAND…]

Opens the address, opens all that can be opened on it, touches each element with the pointer, and waits. With a command, runs
it and waits until the page shows the text. Needs the package playwright, and a Chromium.
"""

import json
import subprocess
import sys

from chromium import chromium
from playwright.sync_api import sync_playwright

WATCH = """
window.acted = 0;
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + ' ' + event.blockedURI));
"""

TOUCH = """() => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  for (const one of document.querySelectorAll('body, body *')) {
    for (const kind of ['mouseover', 'mouseenter', 'focus', 'toggle', 'load', 'error']) one.dispatchEvent(new Event(kind));
  }
}"""


def main():
    address, (text, *command) = sys.argv[1], sys.argv[2:] or [None]
    found = {"dialogs": [], "errors": [], "requests": []}
    origin = "/".join(address.split("/")[:3])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        page.add_init_script(WATCH)
        page.on("dialog", lambda dialog: (found["dialogs"].append(dialog.message), dialog.dismiss()))
        page.on("console", lambda message: message.type == "error" and found["errors"].append(message.text))
        page.on("pageerror", lambda error: found["errors"].append(str(error)))
        page.on("request", lambda request: request.url.startswith((origin, "data:")) or found["requests"].append(request.url))
        page.goto(address)
        page.evaluate(TOUCH)
        if command:
            page.wait_for_selector("#live:has-text('live')")
            subprocess.run(command, check=False)
            page.wait_for_function("text => document.querySelector('main').textContent.includes(text)", arg=text)
            page.evaluate(TOUCH)
        page.wait_for_timeout(500)
        found |= page.evaluate("() => ({acted: window.acted, violations: window.violations, text: document.body.innerText})")
        browser.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
