#!/usr/bin/env python3
"""Checks report pages in a browser and prints the faults.

    report_pages.py PAGES SCREENSHOTS [PICTURES]

PAGES is a folder written by LoadLogReportFixture. Screenshots of the pages go to SCREENSHOTS; the pictures in the
documentation, parts of the realistic page, go to PICTURES. Needs the packages playwright and axe-playwright-python, and a Chromium. Exits 1 if
anything is wrong.
"""

import collections
import json
import pathlib
import sys

from accessibility import violations
from chromium import chromium
from playwright.sync_api import sync_playwright

# All widths are checked; screenshots are taken of the two in SHOWN.
WIDTHS = (320, 390, 660, 768, 1000, 1260, 1280, 1920)
SHOWN = (1280, 390)
SCHEMES = ("light", "dark")
# The page with the most charts; ReportPageTests measures that of ten thousand feeds.
LIMIT = 1_500_000
# Width of A4 between Chromium's default margins, in CSS pixels.
PAPER = 718
# Height that a feed may have if two and the heading of their section are to fit on a page of A4.
HALF_PAPER = 485

faults = []


def fault(where, what):
    faults.append(f"{where}: {what}")
    print(f"FAULT {where}: {what}", file=sys.stderr)


def expect(condition, where, what):
    if not condition:
        fault(where, what)


class Look:
    """One page, opened in a fresh context."""

    def __init__(self, browser, file, width=1280, scheme="light", scripts=True, media="screen"):
        self.file = file
        self.kind = f"{scheme}{'' if scripts else ', no scripts'}{'' if media == 'screen' else ', ' + media}"
        self.where = f"{file.stem} ({width}, {self.kind})"
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=scripts
        )
        self.page = self.context.new_page()
        self.page.emulate_media(media=media, color_scheme=scheme)
        self.page.on("console", lambda message: fault(self.where, f"console {message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: fault(self.where, f"script: {error}"))
        self.page.on("dialog", lambda dialog: (fault(self.where, f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", self.check_request)
        self.page.goto(file.as_uri())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def check_request(self, request):
        if not request.is_navigation_request() and not request.url.startswith("data:"):
            fault(self.where, f"requests {request.url}")

    def resize(self, width):
        self.where = f"{self.file.stem} ({width}, {self.kind})"
        self.page.set_viewport_size({"width": width, "height": 900})

    def ask(self, script, argument=None):
        return self.page.evaluate(script, argument)


# Names of all elements and attributes, and the targets of links.
STRUCTURE = """() => {
  const names = [], targets = [];
  for (const element of document.querySelectorAll('*')) {
    names.push(element.localName);
    for (const attribute of element.attributes) {
      names.push(element.localName + ' ' + attribute.name);
      if (['src', 'href', 'action', 'srcset', 'xlink:href'].includes(attribute.name)) targets.push(attribute.value);
    }
  }
  return [names, targets];
}"""

# Labels that overlap within a picture or lie outside of it.
LABELS = """() => {
  const wrong = [];
  for (const picture of document.querySelectorAll('figure > svg')) {
    const frame = picture.getBoundingClientRect();
    const labels = [...picture.querySelectorAll('text')].map((one) => [one.textContent, one.getBoundingClientRect()]);
    labels.forEach(([text, box], index) => {
      if (box.left < frame.left - 4 || box.right > frame.right + 4) wrong.push('outside: ' + text);
      for (const [other, rival] of labels.slice(index + 1)) {
        const apart = box.right <= rival.left || rival.right <= box.left
          || box.bottom - 4 <= rival.top || rival.bottom - 4 <= box.top;
        if (!apart) wrong.push('on each other: ' + text + ', ' + other);
      }
    });
  }
  return wrong;
}"""

# Elements that overflow their box, or lie outside of their parent.
OVERFLOW = """() => {
  const wrong = [];
  const name = (one) => one.localName + [...one.classList].map((part) => '.' + part).join('');
  const isHidden = (one) => !one.checkVisibility() || one.closest('.defs')
    || getComputedStyle(one.closest('thead') || one).clipPath !== 'none';
  for (const one of document.querySelectorAll('body *:not(svg *)')) {
    if (isHidden(one) || one.localName === 'svg' || getComputedStyle(one).display === 'inline') continue;
    if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0) {
      wrong.push(`${name(one)} holds ${one.scrollWidth} in ${one.clientWidth}: ${one.textContent.trim().slice(0, 40)}`);
    }
  }
  const inside = (box, room, slack) => box.left >= room.left - slack && box.right <= room.right + slack
    && box.top >= room.top - slack && box.bottom <= room.bottom + slack;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest('svg, script, style') || isHidden(parent)) continue;
    const holder = parent.closest('td, th, li, dd, dt, .card, section, header, form, footer, figcaption');
    const room = holder.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(node);
    // Letters with many signs above them may be higher than a line.
    for (const box of range.getClientRects()) {
      if (box.width && !inside(box, room, 2)) {
        wrong.push(`text outside of ${name(holder)}: ${node.data.trim().slice(0, 40)}`);
        break;
      }
    }
  }
  for (const one of document.querySelectorAll('.card figure, .card figure > svg, .card td svg, .card li svg')) {
    if (isHidden(one)) continue;
    const room = one.closest('td, li, .card').getBoundingClientRect();
    if (!inside(one.getBoundingClientRect(), room, 1)) wrong.push(`picture outside of its box: ${name(one)}`);
  }
  return wrong;
}"""

# Elements with too little contrast by WCAG 2.2: text and symbols need 4.5, meaningful shapes 3. Grid lines repeat the
# axis, and a band lies between two visible lines, so they are exempt.
CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const parsed = new Map();
  const parse = (color) => {
    if (!parsed.has(color)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      parsed.set(color, [r, g, b, a / 255]);
    }
    return parsed.get(color);
  };
  const over = ([r, g, b, a], ground, share) => [r, g, b].map((one, i) => one * a * share + ground[i] * (1 - a * share));
  const light = (color) => color.map((one) => one / 255)
    .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const grounds = new Map();
  const ground = (one) => {
    if (!one) return [255, 255, 255];
    if (!grounds.has(one)) grounds.set(one, over(parse(getComputedStyle(one).backgroundColor), ground(one.parentElement), 1));
    return grounds.get(one);
  };
  const opacity = (one) => one ? getComputedStyle(one).opacity * opacity(one.parentElement) : 1;
  const wrong = new Set();
  const check = (what, color, share, one, needed) => {
    const below = ground(one);
    const found = ratio(over(parse(color), below, share), below);
    if (found < needed) wrong.add(`${what} has ${found.toFixed(2)}, needs ${needed}`);
  };
  const name = (one) => one.localName + [...one.classList].map((part) => '.' + part).join('');
  for (const one of document.querySelectorAll('body *')) {
    if (!one.getClientRects().length || one.closest('.defs, defs, title, desc')) continue;
    const style = getComputedStyle(one);
    if (one.closest('svg')) {
      if (one.localName === 'text') check(`label ${one.textContent}`, style.fill, opacity(one), one, 4.5);
      if (!['path', 'rect', 'use'].includes(one.localName) || one.matches('.grid, .band')) continue;
      const paints = [['fill', style.fillOpacity], ['stroke', style.strokeOpacity]]
        .filter(([kind]) => style[kind] !== 'none')
        .map(([kind, share]) => ratio(over(parse(style[kind]), ground(one), share * opacity(one)), ground(one)));
      if (!paints.some((found) => found >= 3)) wrong.add(`shape ${name(one)} of ${name(one.parentElement)}: ${paints}`);
      continue;
    }
    if ([...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) {
      check(`text of ${name(one)}`, style.color, opacity(one), one, 4.5);
    }
    for (const part of ['::before', '::after']) {
      const added = getComputedStyle(one, part);
      if (added.display !== 'none' && !['none', 'normal', '""'].includes(added.content)) {
        check(`${part} of ${name(one)}`, added.color, added.opacity * opacity(one), one, 4.5);
      }
    }
  }
  return [...wrong];
}"""

# Information by colour alone: coloured symbols without a word, and coloured shapes without a word next to them.
WORDLESS = """() => {
  const wrong = [];
  for (const one of document.querySelectorAll('.s')) {
    const glyph = one.querySelector('i')?.textContent.trim();
    const words = (one.closest('h2') || one).textContent.replace(glyph || '', '').trim();
    if (!glyph || !words) wrong.push(`no sign or no word: ${one.outerHTML.slice(0, 80)}`);
  }
  for (const one of document.querySelectorAll('.fresh li svg, .feeds td div svg')) {
    if (!(one.closest('li') || one.parentElement).textContent.trim()) wrong.push('a bar without a word');
  }
  const drawn = new Set([...document.querySelectorAll('figure > svg path[class]')].map((one) =>
    one.getAttribute('class') + ' of ' + one.closest('figure').querySelector('figcaption b').textContent));
  for (const one of drawn) {
    const [style, caption] = one.split(' of ');
    if (['grid', 'axis', 'band', 'bar', 'depth', 'edge', 'dot'].includes(style)) continue;
    const figures = [...document.querySelectorAll('figure')].filter((figure) =>
      figure.querySelector('figcaption b').textContent === caption
      && [...figure.querySelectorAll(':scope > svg path')].some((path) => path.getAttribute('class') === style));
    const isExplained = (figure) => [...figure.querySelectorAll('.key')].some((key) =>
      key.className === 'key ' + style && key.textContent.trim());
    if (!figures.every(isExplained)) wrong.push(`a shape without a key: ${one}`);
  }
  return wrong;
}"""

# Labels that are too small to read, because they shrink with their picture.
TINY = """() => [...document.querySelectorAll('figure > svg text')].map((label) => {
  const picture = label.closest('svg');
  const style = getComputedStyle(picture);
  const width = picture.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return [parseFloat(getComputedStyle(label).fontSize) * width / picture.viewBox.baseVal.width, label.textContent];
}).filter(([size]) => size < 9).map(([size, text]) => `${text} is ${size.toFixed(1)} pixels high`)"""

UNNAMED = """() => [...document.querySelectorAll('[role=img]')].filter((image) => {
  const named = (image.getAttribute('aria-labelledby') || '').split(' ').filter(Boolean);
  const words = named.map((name) => document.getElementById(name)?.textContent).join('')
    || image.getAttribute('aria-label') || image.querySelector('title')?.textContent;
  return !words || !words.trim();
}).length"""

DUPLICATES = """() => {
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}"""

# Every place that shows a user's text.
TEXTS = """() => ({
  feeds: [...document.querySelectorAll('.feeds tbody bdi')].map((one) => one.textContent),
  sites: [...document.querySelectorAll('.sites bdi')].map((one) => one.textContent),
  calls: [...document.querySelectorAll('.sites code')].map((one) => one.textContent),
  reasons: [...document.querySelectorAll('.reasons li > span[dir]')].map((one) => one.textContent),
  charts: [...document.querySelectorAll('article h3 bdi')].map((one) => one.textContent),
  store: document.querySelector('.store code').textContent,
})"""


def check_layout(look):
    """Checks what depends on the width."""
    wide = look.ask("() => [document.documentElement.scrollWidth, window.innerWidth]")
    expect(wide[0] <= wide[1], look.where, f"scrolls sideways: {wide[0]} > {wide[1]}")
    for overflow in look.ask(OVERFLOW)[:5]:
        fault(look.where, overflow)
    for tiny in look.ask(TINY)[:2]:
        fault(look.where, f"label {tiny}")
    for label in look.ask(LABELS)[:3]:
        fault(look.where, f"label {label}")


def check_look(look):
    """Checks what depends on the colour scheme, or on nothing."""
    for faint in look.ask(CONTRAST)[:8]:
        fault(look.where, faint)
    for wordless in look.ask(WORDLESS)[:3]:
        fault(look.where, wordless)
    expect(look.ask("() => window.acted === undefined"), look.where, "a text ran as code")
    expect(look.ask(UNNAMED) == 0, look.where, "a picture has no description")
    expect(look.ask(DUPLICATES) == [], look.where, "an id is not unique")
    targets = look.ask(STRUCTURE)[1]
    foreign = [target for target in targets if not target.startswith("#") and target != "data:,"]
    expect(not foreign, look.where, f"link to another site: {foreign[:3]}")
    missing = look.ask(
        "(targets) => targets.filter((one) => one.length > 1 && !document.getElementById(one.slice(1)))",
        [target for target in targets if target.startswith("#")],
    )
    expect(not missing, look.where, f"link without a target: {missing[:3]}")


def check_hostile(browser, pages):
    texts = json.loads((pages / "hostile.json").read_text(encoding="utf-8"))
    with Look(browser, pages / "harmless.html") as look:
        harmless = collections.Counter(look.ask(STRUCTURE)[0])
    for scripts in (True, False):
        with Look(browser, pages / "hostile.html", scripts=scripts) as look:
            found = collections.Counter(look.ask(STRUCTURE)[0])
            # Without scripts, the elements for sorting are missing, and the search is hidden.
            del found["label hidden"]
            expected = {name: count for name, count in harmless.items()
                        if scripts or name.split(" ")[0] != "button"}
            differing = {name: (expected.get(name, 0), found[name]) for name in expected | found
                         if expected.get(name, 0) != found[name]}
            expect(not differing, look.where, f"a text added elements: {differing}")
            if scripts:
                look.page.locator("details").evaluate_all("(all) => all.forEach((one) => one.open = true)")
                for element in look.page.locator(".feeds bdi").all()[:8]:
                    element.hover()
                expect(look.ask("() => window.acted === undefined"), look.where, "a text ran as code")
            shown = look.ask(TEXTS)
            expect(sorted(shown["feeds"]) == sorted(texts), look.where, "feeds are not shown with their names")
            expect(shown["sites"] == texts, look.where, "feeds of call sites are not shown with their names")
            expect(set(shown["charts"]) <= set(texts), look.where, "a chart does not have the name of its feed")
            expect(shown["store"] == texts[1], look.where, "the store is not shown with its path")
            for text in texts:
                expect(
                    # The reason of a failure stands in brackets, the evidence of a crash behind a colon.
                    any(f"({text})" in reason or f": {text}" in reason for reason in shown["reasons"])
                    or any(text[:60] in reason and reason.endswith("…") for reason in shown["reasons"]),
                    look.where, f"missing from the reasons: {text!r}")
                expect(
                    any(call == f"{text} (likely)" for call in shown["calls"])
                    or any(call.startswith("…") and call.endswith(f"{text[-60:]} (likely)") for call in shown["calls"]),
                    look.where, f"missing from the call sites: {text!r}")


def check_without_scripts(browser, file):
    with Look(browser, file) as with_scripts, Look(browser, file, scripts=False) as without:
        for selector in (".feeds tbody tr", "figure > svg", ".badges li", ".sites tbody tr", "dt"):
            counts = [look.page.locator(selector).count() for look in (with_scripts, without)]
            expect(counts[0] == counts[1], without.where, f"{selector}: {counts[1]} instead of {counts[0]}")
        expect(without.page.locator("button").count() == 0, without.where, "has buttons without a function")
        rows = [look.page.locator(".feeds tbody tr").all_text_contents() for look in (with_scripts, without)]
        expect(rows[0] == rows[1], without.where, "the table differs")
        for width in WIDTHS:
            without.resize(width)
            check_layout(without)


def check_sorting(browser, file):
    with Look(browser, file) as look:
        original = look.page.locator(".feeds tbody th").all_text_contents()
        loads = look.page.locator(".feeds thead th", has_text="Loads")
        for order, reverse in (("descending", True), ("ascending", False)):
            loads.locator("button").click()
            numbers = [int(text.replace(",", "")) for text in
                       look.page.locator(".feeds tbody td:nth-child(5)").all_text_contents()]
            expect(numbers == sorted(numbers, reverse=reverse), look.where, f"not {order} by loads: {numbers}")
            expect(loads.get_attribute("aria-sort") == order, look.where, f"aria-sort is not {order}")
        names = look.page.locator(".feeds tbody th")
        look.page.locator(".feeds thead button", has_text="Feed").click()
        expect(names.all_text_contents() == sorted(original), look.where, "not sorted by name")
        look.page.locator(".feeds thead button", has_text="Updated").click()
        ages = look.page.locator(".feeds tbody td:nth-child(3)").evaluate_all(
            "(cells) => cells.map((cell) => cell.firstChild.data)")
        expect(ages[0] == "never" and ages[-1] == "–", look.where, f"not the oldest first: {ages}")
        look.page.locator(".feeds thead button", has_text="P95").click()
        slowest = look.page.locator(".feeds tbody td:nth-child(8)").all_text_contents()
        expect(slowest[0] == "5 m 34 s", look.where, f"not the slowest first: {slowest}")
        look.page.locator(".feeds thead button", has_text="Status").click()
        expect(names.all_text_contents() == original, look.where, "the original order is not restored")


def check_search(browser, file):
    with Look(browser, file) as look:
        search = look.page.locator("#search input")
        for words, rows in (("catalogue-81", 11), ("CATALOGUE-81", 11), ("zzz", 0), ("<b>", 0), ("", 1000)):
            search.fill(words)
            shown = look.ask("""() => [...document.querySelectorAll('.feeds tbody tr, .others tr:not(:first-child)')]
              .filter((one) => !one.hidden && one.getClientRects().length).length""")
            expect(shown == rows, look.where, f"searching {words!r} shows {shown} feeds instead of {rows}")
        search.fill("catalogue-81")
        expect(look.page.locator("#search output").inner_text() == "11 of 1,000", look.where, "wrong number of feeds found")
        hidden = look.ask("() => [...document.querySelectorAll('article')].filter((one) => !one.hidden).length")
        expect(0 < hidden < 11, look.where, f"the search shows {hidden} charts")
    with Look(browser, file, scripts=False) as look:
        expect(not look.page.locator("#search").is_visible(), look.where, "shows a search that needs scripts")
        expect(look.page.locator(".others tr:not(:first-child)").count() == 900, look.where, "feeds are missing")


def check_print(browser, file, screenshots):
    with Look(browser, file, width=PAPER, scheme="dark", media="print") as look:
        check_layout(look)
        check_look(look)
        cut = look.ask("""() => [...document.querySelectorAll('figure, .feeds tr, .reasons li, .sites tr')]
          .filter((one) => getComputedStyle(one).breakInside !== 'avoid').length""")
        expect(cut == 0, look.where, f"{cut} pictures and rows may be split by a page break")
        heights = look.ask("() => [...document.querySelectorAll('article')].map((one) => one.offsetHeight)")
        # On the other pages there are names of several lines.
        if file.stem == "realistic":
            expect(max(heights) < HALF_PAPER, look.where, f"two feeds do not fit on a page: {heights}")
        tall = look.ask("() => document.documentElement.scrollHeight") > 16_000
        look.page.screenshot(path=screenshots / f"{file.stem}-print.png", full_page=not tall)
        background = look.ask("() => getComputedStyle(document.body).backgroundColor")
        expect(background == "rgb(255, 255, 255)", look.where, f"prints on {background}")
        look.page.pdf(path=screenshots / f"{file.stem}.pdf", format="A4", print_background=False)


def check_schemes(browser, file):
    colors = []
    for scheme in SCHEMES:
        with Look(browser, file, scheme=scheme) as look:
            colors.append(look.ask("() => getComputedStyle(document.body).backgroundColor"))
    expect(colors[0] != colors[1], file.stem, "looks the same in light and dark")


def take_pictures(browser, file, pictures):
    """Takes the pictures of the realistic page for the documentation."""
    pictures.mkdir(parents=True, exist_ok=True)
    with Look(browser, file) as look:
        end = look.page.locator("section:has(#feeds)").bounding_box()
        look.page.screenshot(
            path=pictures / "report.png", full_page=True,
            clip={"x": 0, "y": 0, "width": 1280, "height": end["y"] + end["height"] + 20})
    with Look(browser, file, scheme="dark") as look:
        first = look.page.locator("article").nth(0).bounding_box()
        last = look.page.locator("article").nth(2).bounding_box()
        look.page.screenshot(
            path=pictures / "report-charts.png", full_page=True,
            clip={"x": 0, "y": first["y"] - 20, "width": 1280,
                  "height": last["y"] + last["height"] + 40 - first["y"]})


def main(pages, screenshots, pictures=None):
    pages, screenshots = pathlib.Path(pages).resolve(), pathlib.Path(screenshots).resolve()
    screenshots.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        # Chromium has no sandbox for root, as in a container. The pages are our own.
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        files = sorted(pages.glob("*.html"))
        expect(len(files) >= 6, "pages", f"found only {len(files)} pages")
        for file in files:
            text = file.read_text(encoding="utf-8")
            expect(len(text.encode()) < LIMIT, file.stem, f"{len(text.encode())} bytes")
            for scheme in SCHEMES:
                with Look(browser, file, scheme=scheme) as look:
                    # Where things lie does not depend on their colours.
                    for width in WIDTHS if scheme == SCHEMES[0] else SHOWN:
                        look.resize(width)
                        if scheme == SCHEMES[0]:
                            check_layout(look)
                        if width not in SHOWN:
                            continue
                        check_look(look)
                        for violation in violations(look.page)[:5]:
                            fault(look.where, violation)
                        # Chromium repeats parts of screenshots that are higher than this.
                        tall = look.ask("() => document.documentElement.scrollHeight") > 16_000
                        look.page.screenshot(
                            path=screenshots / f"{file.stem}-{scheme}-{width}.png", full_page=not tall)
            check_without_scripts(browser, file)
            check_print(browser, file, screenshots)
            check_schemes(browser, file)
        check_hostile(browser, pages)
        check_sorting(browser, pages / "realistic.html")
        check_search(browser, pages / "thousand.html")
        with Look(browser, pages / "empty.html") as look:
            words = look.page.locator("main, header, section").all_inner_texts()
            expect(any("nothing to show yet" in text for text in words), look.where, "does not say that it is empty")
        if pictures:
            take_pictures(browser, pages / "realistic.html", pathlib.Path(pictures).resolve())
        browser.close()
    print(f"{len(files)} pages, {len(faults)} faults; screenshots are in {screenshots}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
