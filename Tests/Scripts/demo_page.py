#!/usr/bin/env python3
"""Tries the page of `loadlog-net demo --web` with a finger, a mouse and a keyboard, and prints the faults.

    demo_page.py LOADLOG-NET SCREENSHOTS [PICTURES]

LOADLOG-NET is the built program. Screenshots go to SCREENSHOTS; the picture in the documentation goes to PICTURES. Prints
how far what is drawn is behind the models. Needs the packages playwright and axe-playwright-python, and a Chromium. Exits 1
if anything is wrong.
"""

import contextlib
import os
import pathlib
import statistics
import sys
import tempfile

from accessibility import violations
from served import become_live, check, expect, see, serving, watch

# What is drawn should be at most so far behind the model. A busy machine may take longer now and then, which is no fault.
GOAL_MS = 50


class Demo:
    """The page, opened in a fresh context."""

    def __init__(self, browser, address, width, scheme="light", scale=1, allowed=None):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, has_touch=True, is_mobile=width < 500,
            device_scale_factor=scale)
        self.page = self.context.new_page()
        watch(self.page, address, allowed)
        self.page.goto(f"{address}/demo")
        become_live(self.page)

    def call(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()

    def see(self, value, text):
        see(self.page.locator(f"[data-value='{value}']")).to_have_text(text)

    def finger(self, kind, distance=0.0):
        """Moves a finger on the list, some points below the place where it touched it first."""
        box = self.page.locator("#list").bounding_box()
        points = [] if kind == "End" else [{"x": box["x"] + 100, "y": box["y"] + 40 + distance}]
        self.touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})

    @property
    def touch(self):
        if not hasattr(self, "session"):
            self.session = self.context.new_cdp_session(self.page)
        return self.session


def pull(demo):
    """A pull of 65 points arms the list, and its release loads."""
    demo.page.locator("#list").scroll_into_view_if_needed()
    demo.see("pull.statusText", "Pull down to refresh…")
    demo.see("pull.lastUpdatedText", "Last Updated: Never")
    demo.finger("Start")
    for distance in (20, 40, 64):
        demo.finger("Move", distance)
    demo.see("pull.progress", "0.98")
    demo.see("pull.state", "pulling")
    demo.finger("Move", 70)
    demo.see("pull.state", "armed")
    demo.see("pull.statusText", "Release to refresh…")
    demo.see("pull.cue", "armed")
    demo.finger("Move", 50)
    demo.see("pull.cue", "disarmed")
    demo.finger("Move", 80)
    demo.see("pull.arrow", "up")
    demo.finger("End")
    demo.see("pull.state", "loading")
    demo.see("pull.inset", "60")
    demo.see("pull.cue", "released")
    see(demo.page.locator("#record pre")).to_contain_text("demo/reviews")
    demo.page.wait_for_function("""() => {
      const list = document.querySelector('#list').getBoundingClientRect().top;
      return Math.abs(document.querySelector('#moving').getBoundingClientRect().top - list - 61) < 1.5;
    }""")
    demo.call("finish(.succeeded)")
    demo.see("pull.state", "pulling")
    see(demo.page.locator("#moving .lastUpdated")).not_to_contain_text("Never")


def pull_with_keys(demo):
    demo.page.focus("#list")
    for _ in range(5):
        demo.page.keyboard.press("ArrowDown")
    demo.see("pull.state", "armed")
    demo.page.keyboard.press("Escape")
    demo.see("pull.state", "pulling")
    for _ in range(5):
        demo.page.keyboard.press("ArrowDown")
    demo.page.keyboard.press("Enter")
    demo.see("pull.state", "loading")
    demo.page.keyboard.press("Tab")
    demo.page.keyboard.press("Tab")
    demo.page.keyboard.press("Enter")
    demo.see("pull.state", "pulling")
    see(demo.page.locator("#record pre")).to_contain_text("last failed")


def count(demo):
    """The network spinner counts pushes, and a pop too many changes nothing."""
    spinner = demo.page.locator("#network .spinner")
    see(spinner).not_to_be_visible()
    for number in ("1", "2", "3"):
        demo.call("push()")
        demo.see("network.count", number)
    see(spinner).to_be_visible()
    for number in ("2", "1", "0", "0"):
        demo.call("pop()")
        demo.see("network.count", number)
    see(spinner).not_to_be_visible()
    see(demo.page.locator("#record pre")).to_contain_text("1 × popped, never pushed")


def cover(demo):
    """The veil and the loading views block what is below; the overlay leaves the other panel usable."""
    below = demo.page.locator("#veil .content button")
    below.click()
    demo.see("articles", "1")
    demo.call("veil(message:)")
    demo.see("veil.opacity", "0.8")
    see(demo.page.locator("#veil .box p")).to_be_visible()
    box = below.bounding_box()
    demo.page.mouse.click(box["x"] + 5, box["y"] + 5)
    below.evaluate("one => one.click()")
    below.focus()
    expect(demo.page.evaluate("document.activeElement.tagName") == "BODY", "nothing below the veil has the focus")
    demo.call("veil(message:)")
    demo.see("veil.message", "Almost there…")
    demo.see("articles", "1")
    demo.call("remove()")
    demo.see("veil.blocksInteraction", "false")
    below.click()
    demo.see("articles", "2")

    demo.call("start(tag: 1)")
    demo.call("start(tag: 2)")
    see(demo.page.locator("#views .box p")).to_have_text(["Loading article…", "Loading pictures…"])
    demo.page.evaluate("document.querySelector('#views .box').isKept = true")
    below.click()
    demo.see("articles", "3")
    expect(demo.page.evaluate("document.querySelector('#views .box').isKept"), "the covers are drawn again, and their spinners jump back")
    demo.call("stop(tag: 2)")
    see(demo.page.locator("#views .box p")).to_have_text(["Loading article…"])
    demo.call("stop(tag: 1)")
    demo.see("views.isVisible", "false")

    demo.call("show()")
    demo.see("overlay.isVisible", "true")
    demo.page.locator("#usable button").click()
    demo.see("topics", "1")
    demo.call("disappear()")
    demo.see("overlay.isVisible", "false")
    demo.see("overlay.isLoading", "true")
    demo.call("appear()")
    demo.see("overlay.isVisible", "true")
    demo.call("hide()")
    demo.see("overlay.isVisible", "false")


def refuse(browser, address):
    """A page whose stream is refused, as by a proxy while the server restarts, says so and connects again."""
    page = browser.new_page()
    watch(page, address, allowed="status of 503")
    page.clock.install()
    page.route("**/demo/events", lambda route: route.fulfill(status=503))
    page.goto(f"{address}/demo")
    see(page.locator("#live")).to_have_text("not connected")
    page.unroute("**/demo/events")
    page.clock.fast_forward(5_000)
    become_live(page)
    page.context.close()


def limit(browser, address):
    """A gesture that comes too soon is sent again: no list stays pulled because its release was refused."""
    demo = Demo(browser, address, 390, allowed="status of 429")
    refused = []

    def answer(route):
        gesture = route.request.post_data_json["gesture"]
        if gesture in refused:
            route.continue_()
        else:
            refused.append(gesture)
            route.fulfill(status=429, headers={"retry-after": "1"}, json={"error": "too many requests a second"})

    demo.page.route("**/demo/gestures", answer)
    demo.call("push()")
    demo.see("network.count", "1")
    demo.page.locator("#list").scroll_into_view_if_needed()
    demo.finger("Start")
    demo.finger("Move", 20)
    demo.finger("Move", 80)
    demo.finger("End")
    demo.see("pull.state", "loading")
    demo.call("finish(.succeeded)")
    demo.see("pull.state", "pulling")
    demo.call("pop()")
    demo.see("network.count", "0")
    expect(refused == ["tap", "drag", "release"], f"refused were {refused}")
    demo.context.close()


def turn(demo):
    demo.call("Rotate the screens")
    screen = demo.page.locator("#veil .screen")
    see(screen).to_have_css("width", "320px")
    demo.call("Rotate the screens")
    see(screen).to_have_css("height", "320px")


def look(browser, address, folder, pictures):
    """Screenshots of all indicators at once, in two widths and two colour schemes."""
    demo = Demo(browser, address, 1280)
    for name in ("push()", "push()", "show()", "veil(message:)", "start(tag: 1)", "start(tag: 2)"):
        demo.call(name)
    demo.finger("Start")
    demo.finger("Move", 72)
    demo.see("pull.state", "armed")
    see(demo.page.locator("#record pre")).to_contain_text("6 running")
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            other = Demo(browser, address, width, scheme)
            size = other.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            expect(size[0] <= size[1], f"the page is {size[0]} wide in {size[1]}")
            other.page.screenshot(path=folder / f"demo-{width}-{scheme}.png", full_page=True)
            for violation in violations(other.page):
                expect(False, f"{width}, {scheme}: {violation}")
            other.context.close()
    if pictures:
        small = Demo(browser, address, 1280, scale=0.8)
        small.page.locator("#usable button").click()
        small.see("topics", "1")
        small.page.screenshot(path=pictures / "demo-web.png", full_page=True)
        small.context.close()
    demo.finger("End")
    demo.context.close()


def measure(browser, address):
    """How far what is drawn is behind the models, in milliseconds, during a pull and some pushes."""
    demo = Demo(browser, address, 390)
    demo.page.evaluate("""() => {
      window.behind = [];
      new MutationObserver(() => window.behind.push(parseFloat(document.querySelector('#lag').textContent.slice(6))))
        .observe(document.querySelector('#lag'), { childList: true, characterData: true, subtree: true });
    }""")
    demo.page.locator("#list").scroll_into_view_if_needed()
    demo.finger("Start")
    for distance in [*range(0, 100, 2), *range(100, 0, -2)]:
        demo.finger("Move", distance)
    demo.finger("End")
    for _ in range(20):
        demo.call("push()")
        demo.call("pop()")
    demo.see("network.count", "0")
    behind = sorted(demo.page.evaluate("window.behind"))
    demo.context.close()
    expect(len(behind) > 20, f"{len(behind)} changes were drawn")
    late = sum(one > GOAL_MS for one in behind)
    print(f"{len(behind)} changes were drawn {statistics.median(behind):.1f} ms behind the model (median), at most"
          f" {behind[-1]:.1f} ms; {late} of them more than {GOAL_MS} ms")


@contextlib.contextmanager
def demo_server(net):
    """The address of a server of the demo, which must delete its store."""
    with tempfile.TemporaryDirectory() as temporary:
        with serving(net, "demo", "--web", "--no-browser", TMPDIR=temporary) as address:
            yield address
        expect(not os.listdir(temporary), "the temporary store is deleted")


def main():
    net, folder, *pictures = sys.argv[1:]
    pictures = pathlib.Path(pictures[0]) if pictures else None

    def steps(browser):
        with demo_server(net) as address:
            page = Demo(browser, address, 390)
            for part in (pull, pull_with_keys, count, cover, turn):
                part(page)
            page.context.close()
            refuse(browser, address)
            limit(browser, address)
            measure(browser, address)
        with demo_server(net) as address:
            look(browser, address, pathlib.Path(folder), pictures)

    return check("the demo", steps)


if __name__ == "__main__":
    sys.exit(main())
