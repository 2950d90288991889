// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
// What all scripts of the page share: asking the console, making elements, and how figures read.
// Text from nodes reaches the page as text only.
"use strict";

const Coppice = { state: null, route: null };

(function () {
  const KEPT = "coppice-token";
  // The fragment of the address holds a token, and perhaps the page to open.
  const given = /^#([\w-]{32})(\/.*)?$/.exec(location.hash);
  if (given) {
    sessionStorage.setItem(KEPT, given[1]);
    history.replaceState(null, "", "#" + (given[2] || "/"));
  }
  const token = sessionStorage.getItem(KEPT) || "";

  class Refused extends Error {
    constructor(status, message) {
      super(message);
      this.status = status;
    }
  }

  /**
   * Longest waits, in milliseconds. The first two are for answers: a simulation, or a change of a
   * slow process, takes up to a minute. The last one is from a press to its release, without
   * drawing: a click needs the same element under both. A release outside of the window does not
   * reach the page, so this time is bounded too.
   */
  Coppice.patience = { question: 20000, order: 120000, pressed: 5000 };

  /**
   * Sends a request and returns its answer as JSON. It ends in time even if nothing refuses the
   * connection: a process may be suspended, or a tunnel may have lost its other end.
   */
  async function ask(path, options) {
    const order = options.method === "POST";
    const patience = order ? Coppice.patience.order : Coppice.patience.question;
    let answer;
    let body;
    try {
      answer = await fetch(path,
        { ...options, cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(patience) });
      const text = await answer.text();
      body = text ? JSON.parse(text) : {};
    } catch (e) {
      // An answer that is no JSON comes from a proxy, which got no answer or gave up waiting.
      const status = answer && !answer.ok ? " (" + answer.status + ")" : "";
      throw new Refused(0, "The console process does not answer" + status + ". Was it ended?" +
        (order ? " The call may have taken effect. Check the present state before you repeat it." : ""));
    }
    if (answer.status === 401) {
      throw new Refused(401, "This address lacks its token. Open the whole address that the console printed.");
    }
    if (!answer.ok) {
      throw new Refused(answer.status, body.error || "The console refused this (" + answer.status + ").");
    }
    return body;
  }

  Coppice.get = (path, query) =>
    ask(path + (query ? "?" + new URLSearchParams(query) : ""), {
      headers: { Authorization: "Bearer " + token },
    });

  Coppice.post = (path, body) =>
    ask(path, {
      method: "POST",
      headers: { Authorization: "Bearer " + token, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  /** Creates an element: el("td.text", {title: "x"}, "text", child, ...). */
  Coppice.el = function (what, attributes, ...children) {
    const [tag, ...classes] = what.split(".");
    const element = document.createElement(tag);
    if (classes.length) {
      element.className = classes.join(" ");
    }
    for (const [name, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") {
        element.addEventListener(name, value);
      } else if (value === true) {
        element.setAttribute(name, "");
      } else if (value !== false && value != null) {
        element.setAttribute(name, value);
      }
    }
    element.append(...children.flat(Infinity).filter((child) => child != null));
    return element;
  };

  // Icons: strokes on a grid of 16 by 16; a leading f: fills the path instead.
  const ICONS = {
    up: "f:M8 4a4 4 0 1 0 0 8a4 4 0 1 0 0-8",
    lost: "M4 4l8 8M12 4l-8 8",
    connecting: "M8 4a4 4 0 1 0 0 8a4 4 0 1 0 0-8",
    merge: "M3 3v3c0 3 5 2 5 5v2M13 3v3c0 3-5 2-5 5",
    play: "f:M4.5 3l8 5l-8 5z",
    pause: "f:M4 3h3v10h-3zM9 3h3v10h-3z",
    less: "M8 3v9M4.5 8.5L8 12l3.5-3.5",
    more: "M8 13V4M4.5 7.5L8 4l3.5 3.5",
    theme: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 2.5v11M8 5l4-1M8 8h5M8 11l4 1",
    help: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M8 12.6v.4",
    tree: "M8 14.5V7M8 11c0-3-3-3-4.500-6M8 9c0-3 3-3 4.500-6M8 7C8 4 7 3 7 1.500",
    warn: "M8 2.500l6 11H2zM8 6.500v3.500M8 11.800v.2",
  };

  /**
   * Creates an icon in the page's color. It is decoration, so text beside it must say what it
   * means.
   */
  Coppice.icon = function (name) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(space, "path");
    const fills = ICONS[name].startsWith("f:");
    path.setAttribute("d", fills ? ICONS[name].slice(2) : ICONS[name]);
    path.setAttribute("class", fills ? "fills" : "strokes");
    svg.append(path);
    return svg;
  };

  /** Shows the change of a figure that is better when less: color, arrow, sign and word. */
  Coppice.delta = function (now, then) {
    if (now == null || then == null || !(now > 0)) {
      return null;
    }
    const share = then / now - 1;
    if (Math.abs(share) < 0.02) {
      return Coppice.el("span.delta", {}, "as now");
    }
    const better = share < 0;
    const text = then / now >= 10 ? "×" + (then / now).toFixed(0) : (better ? "−" : "+") + Math.abs(100 * share).toFixed(0) + " %";
    return Coppice.el(better ? "span.delta.better" : "span.delta.worse", {},
      Coppice.icon(better ? "less" : "more"), text + (better ? " better" : " worse"));
  };

  const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];
  Coppice.bytes = function (bytes) {
    if (bytes == null || bytes < 0) {
      return "–";
    }
    let unit = 0;
    let amount = bytes;
    while (amount >= 999.5 && unit < UNITS.length - 1) {
      amount /= 1000;
      unit++;
    }
    return amount.toFixed(unit === 0 || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2) + " " + UNITS[unit];
  };
  Coppice.rate = (bytes) => (bytes == null ? "–" : Coppice.bytes(bytes) + "/s");
  Coppice.number = (number, places = 2) => (number == null ? "–" : number.toFixed(places));
  Coppice.count = (number) => (number == null ? "–" : Math.round(number).toLocaleString("en"));
  Coppice.perSecond = (number) =>
    number == null ? "–" : (number >= 10 ? Coppice.count(number) : number.toFixed(1)) + "/s";
  Coppice.span = function (seconds) {
    if (seconds == null) {
      return "—";
    }
    if (seconds < 1) {
      return "< 1 s";
    }
    const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
    const at = parts.findIndex(([size]) => seconds >= size);
    const [size, name] = parts[at];
    const whole = Math.floor(seconds / size);
    const next = parts[at + 1];
    const rest = next && whole < 10 ? Math.floor((seconds - whole * size) / next[0]) : 0;
    return whole + " " + name + (rest ? " " + rest + " " + next[1] : "");
  };
  /** Returns the age of a time, by the clock of the console. */
  Coppice.age = (millis) => Coppice.span(Math.max(1, ((Coppice.state ? Coppice.state.now : millis) - millis) / 1000)) + " ago";

  /** Returns a policy's reason with its long numbers of bytes in units. */
  Coppice.sentence = (text) =>
    text.replace(/\b(\d{4,})\b( bytes)?(?! (?:lookups|scans|entries|keys|tables|runs|trees))/g,
      (all, digits) => Coppice.bytes(Number(digits)));

  Coppice.time = (millis) => new Date(millis).toLocaleTimeString("en-GB");
  Coppice.day = (millis) => new Date(millis).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });

  Coppice.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

  /** Fits a canvas to its place and the screen's pixels, and returns its context and size. */
  Coppice.fit = function (canvas, height) {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth || canvas.parentElement.clientWidth;
    canvas.style.height = height + "px";
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    return { pen, width, height };
  };

  let toastTimer = 0;
  Coppice.toast = function (text) {
    const toast = document.getElementById("toast");
    toast.textContent = text;
    toast.hidden = false;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => (toast.hidden = true), 6000);
  };

  Coppice.say = (text) => (document.getElementById("spoken").textContent = text);

  /** Asks the person whether to go on, and returns a promise of true or false. */
  Coppice.confirm = function (title, text, yes) {
    const dialog = document.getElementById("ask");
    return new Promise((resolve) => {
      const end = (answer) => () => {
        dialog.close();
        resolve(answer);
      };
      const { el } = Coppice;
      dialog.replaceChildren(
        el("h2", {}, title),
        ...text.map((one) => el("p", {}, one)),
        el("div.row.end", {},
          el("button", { type: "button", click: end(false) }, "Cancel"),
          el("button.main", { type: "button", id: "yes", click: end(true) }, yes)));
      dialog.oncancel = end(false);
      dialog.showModal();
    });
  };

  const THEME = "coppice-theme";
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  function theme() {
    const chosen = localStorage.getItem(THEME);
    document.documentElement.dataset.theme = chosen || (dark.matches ? "dark" : "light");
    document.dispatchEvent(new Event("coppice-theme"));
  }
  Coppice.otherTheme = function () {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem(THEME, next);
    theme();
  };
  dark.addEventListener("change", theme);
  theme();
})();
