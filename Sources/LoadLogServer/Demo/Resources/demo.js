"use strict";
// Draws the states of the indicators, which come from the server, and sends back what the user does. Whether an indicator
// is visible, how strong, and what it says is decided there.
(() => {
  const find = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  // A screen reader reads aloud what is written, so only what is new is written.
  const write = (one, text) => { if (one.textContent !== text) one.textContent = text; };
  const say = (text) => write(find("#live"), text);

  // Gestures, one at a time and in their order. Of the drags that wait, the last one tells where the finger is. A mouse moves
  // more often than the server answers another machine: it gets what it refused with 429 again, and from then on fewer drags.
  const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time); });
  const waiting = [];
  let isSending = false;
  let rest = 0;
  const send = async (gesture) => {
    const last = waiting[waiting.length - 1];
    if (gesture.gesture === "drag" && last && last.gesture === "drag") waiting.pop();
    waiting.push(gesture);
    if (isSending) return;
    isSending = true;
    try {
      while (waiting.length) {
        const next = waiting.shift();
        const body = JSON.stringify(next);
        const headers = { "content-type": "application/json" };
        const answer = await fetch("/demo/gestures", { method: "POST", headers, body });
        if (answer.status === 429) {
          waiting.unshift(next);
          rest = 40;
          await pause(1000 * (Number(answer.headers.get("retry-after")) || 1));
        } else if (!answer.ok) {
          throw new Error((await answer.json()).error);
        } else if (rest && next.gesture === "drag") {
          await pause(rest);
        }
      }
    } catch (error) {
      waiting.length = 0;
      say(error.message);
    } finally {
      isSending = false;
    }
  };

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button && button.dataset.tap) send({ gesture: "tap", button: button.dataset.tap });
    if (button && button.id === "rotate") send({ gesture: "rotate" });
  });

  // The list: dragged by a finger or a mouse, or pulled with the arrow keys.
  const list = find("#list");
  const step = 13;
  let start = null;
  let pulled = 0;
  const drag = (distance) => {
    pulled = Math.max(0, distance);
    send({ gesture: "drag", distance: pulled });
  };
  const release = () => {
    start = null;
    pulled = 0;
    send({ gesture: "release" });
  };
  const giveUp = () => {
    drag(0);
    release();
  };
  list.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    start = event.clientY;
    list.setPointerCapture(event.pointerId);
  });
  list.addEventListener("pointermove", (event) => {
    if (start !== null && event.isPrimary) drag(event.clientY - start);
  });
  list.addEventListener("pointerup", () => { if (start !== null) release(); });
  list.addEventListener("pointercancel", () => { if (start !== null) giveUp(); });
  list.addEventListener("blur", () => { if (pulled > 0 && start === null) giveUp(); });
  list.addEventListener("keydown", (event) => {
    const act = {
      ArrowDown: () => drag(pulled + step), ArrowUp: () => drag(pulled - step), Enter: release, " ": release, Escape: giveUp,
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // Drawing: values into styles.
  const place = (one, frame) => {
    Object.assign(one.style, {
      left: `${frame.x}px`, top: `${frame.y}px`, width: `${frame.width}px`, height: `${frame.height}px`,
    });
  };
  const measure = (one, size) => Object.assign(one.style, { width: `${size.width}px`, height: `${size.height}px` });
  const show = (one, model) => {
    one.style.visibility = model.isVisible ? "visible" : "hidden";
    one.style.transitionDuration = `${model.fadeTime}ms`;
    one.style.opacity = model.opacity;
  };
  const turn = (one, isTurning) => one.classList.toggle("turning", isTurning);

  const drawNetwork = (model) => {
    show(find("#network .spinner"), model);
    turn(find("#network .spinner"), model.isAnimating);
  };
  const drawOverlay = (model, screen, panel) => {
    measure(find("#covered"), panel);
    Object.assign(find("#usable").style, {
      left: panel.width < screen.width ? `${panel.width}px` : 0, top: panel.height < screen.height ? `${panel.height}px` : 0,
    });
    measure(find("#usable"), panel);
    find("#articles").hidden = !model.isAttached;
    find("#elsewhere").hidden = model.isAttached;
    const overlay = find("#overlay .container");
    show(overlay, model);
    place(overlay, model.frames.container);
    place(overlay.querySelector(".label"), model.frames.label);
    place(overlay.querySelector(".spinner"), model.frames.spinner);
    turn(overlay.querySelector(".spinner"), model.isAnimating);
  };
  const drawVeil = (model) => {
    const cover = find("#veil .cover");
    show(cover, model);
    find("#veil .content").inert = model.blocksInteraction;
    find("#veil .box p").hidden = model.message === null;
    turn(cover.querySelector(".spinner"), model.isAnimating);
  };
  let drawnCovers = "";
  const drawViews = (model) => {
    const cover = find("#views .cover");
    show(cover, model);
    find("#views .content").inert = model.blocksInteraction;
    const covers = JSON.stringify(model.covers);
    // A new box restarts its spinner.
    if (covers !== drawnCovers) {
      drawnCovers = covers;
      cover.replaceChildren(...model.covers.map(({ tag, message }) => {
        const box = find("#cover").content.cloneNode(true);
        box.querySelector("small").textContent = `tag ${tag}`;
        box.querySelector("p").textContent = message;
        return box;
      }));
    }
    for (const spinner of cover.querySelectorAll(".spinner")) turn(spinner, model.isAnimating);
  };
  const drawPull = (model) => {
    const moving = find("#moving");
    moving.style.transitionDuration = `${model.offsetTime}ms`;
    moving.style.transform = `translateY(${model.offset}px)`;
    for (const [name, frame] of Object.entries(model.frames)) place(moving.querySelector(`.${name}`), frame);
    const arrow = moving.querySelector(".arrow");
    arrow.style.visibility = model.arrow === "hidden" ? "hidden" : "visible";
    arrow.style.transitionDuration = `${model.arrowTime}ms`;
    arrow.style.transform = `rotate(${model.arrow === "up" ? 180 : 0}deg)`;
    const spinner = moving.querySelector(".spinner");
    spinner.style.visibility = model.isAnimating ? "visible" : "hidden";
    turn(spinner, model.isAnimating);
  };
  const draw = (state) => {
    for (const one of all(".screen")) measure(one, state.screen);
    drawNetwork(state.network);
    drawOverlay(state.overlay, state.screen, state.panel);
    drawVeil(state.veil);
    drawViews(state.views);
    drawPull(state.pull);
    for (const one of all("[data-value]")) {
      const value = one.dataset.value.split(".").reduce((object, name) => object[name], state);
      const text = value === null ? "nil" : typeof value === "number" ? String(Math.round(value * 100) / 100) : String(value);
      write(one, text);
    }
  };

  const receive = ({ data }) => {
    const state = JSON.parse(data);
    draw(state);
    if (document.body.classList.contains("fresh")) {
      document.body.getBoundingClientRect(); // applies the styles before transitions are allowed
      document.body.classList.remove("fresh");
    }
    say("live");
    if (state.changed === null) return;
    // A message that is posted before a frame arrives after it was painted.
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const behind = performance.timeOrigin + performance.now() - state.changed;
        find("#lag").textContent = `drawn ${behind.toFixed(1)} ms after the model`;
      };
      port2.postMessage(null);
    });
  };
  let events;
  let again;
  const connect = () => {
    events = new EventSource("/demo/events");
    events.addEventListener("state", receive);
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
})();
