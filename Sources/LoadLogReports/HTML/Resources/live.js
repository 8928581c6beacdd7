"use strict";
// Replaces the contents of the page when the record has changed, and keeps the order, the search, what is open and how far
// it is scrolled, and the focus. Without this script the page is that of loadlog report.
(() => {
  // A screen reader reads aloud what is written here, so only what is new is written.
  const live = document.getElementById("live");
  const say = (text) => { if (live.textContent !== text) live.textContent = text; };

  const sorted = () => {
    const heading = document.querySelector("#feed-table th[aria-sort]");
    return heading && [heading.cellIndex, heading.getAttribute("aria-sort")];
  };
  const sort = (order) => {
    const table = document.querySelector("#feed-table");
    // A page that finds no feed has no table.
    if (!order || !table) return;
    const heading = table.tHead.rows[0].cells[order[0]];
    for (let turn = 0; turn < 2 && heading.getAttribute("aria-sort") !== order[1]; turn++) {
      heading.querySelector("button").click();
    }
  };
  // What can be opened is known by its feed, its load and its summary: their places change.
  const key = (one) => {
    const [feed, load] = [one.closest("article"), one.closest("li")];
    const parts = [feed && feed.querySelector("bdi"), load && load.querySelector("code"), one.querySelector("summary")];
    return parts.map((part) => (part ? part.textContent : "")).join("\n");
  };
  const scrolled = (one) => {
    const output = one.querySelector("pre");
    return output ? [output.scrollLeft, output.scrollTop] : [0, 0];
  };

  // What has the focus is known by its kind, its words, and its place among others of the same.
  const alike = (kind, words) => [...document.querySelectorAll(kind)].filter((one) => one.textContent === words);

  const swap = (fresh) => {
    const order = sorted();
    const input = document.querySelector(".search input");
    const focused = document.activeElement;
    const [kind, words] = [focused.localName, focused.textContent];
    const place = alike(kind, words).indexOf(focused);
    const open = new Map([...document.querySelectorAll("details[open]")].map((one) => [key(one), scrolled(one)]));
    fresh.getElementById("live").replaceWith(live);
    for (const part of ["header", "main", "footer"]) {
      document.querySelector(`body > ${part}`).replaceWith(fresh.querySelector(`body > ${part}`));
    }
    document.title = fresh.title;
    for (const one of document.querySelectorAll("details")) {
      one.open = open.has(key(one));
      const output = one.querySelector("pre");
      if (output && one.open) output.scrollTo(...open.get(key(one)));
    }
    document.dispatchEvent(new Event("report-changed"));
    sort(order);
    const search = document.querySelector(".search input");
    if (search && input) {
      search.value = input.value;
      search.setSelectionRange(input.selectionStart, input.selectionEnd);
    }
    const again = alike(kind, words)[place];
    if (again) again.focus({ preventScroll: true });
  };

  let events;
  let again;
  let isBusy = false;
  let isStale = false;
  // A hidden page is refreshed when it becomes visible, and connects again.
  const refresh = async () => {
    isStale = true;
    if (isBusy || document.hidden) return;
    isBusy = true;
    try {
      while (isStale && !document.hidden) {
        isStale = false;
        const answer = await fetch(location.pathname + location.search, { cache: "no-store" });
        if (!answer.ok) throw new Error(answer.statusText);
        swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
      }
      if (!document.hidden) say(events.readyState === EventSource.OPEN ? "live" : "not connected");
    } catch {
      say("not up to date");
    } finally {
      isBusy = false;
    }
  };

  const connect = () => {
    events = new EventSource("/events");
    events.addEventListener("open", refresh);
    events.addEventListener("change", refresh);
    events.addEventListener("error", () => {
      say("not connected");
      // The browser tries again by itself, but not after an answer other than 200.
      if (events.readyState === EventSource.CLOSED) again = setTimeout(connect, 5000);
    });
  };
  // The tabs of a browser share six connections to a server, so only a visible page keeps one.
  const follow = () => {
    clearTimeout(again);
    if (events) events.close();
    if (!document.hidden) connect();
  };
  follow();
  document.addEventListener("visibilitychange", follow);
  // Ages grow older also when nothing happens.
  setInterval(refresh, 30000);
})();
