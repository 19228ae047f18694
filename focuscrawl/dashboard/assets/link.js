// Link to the server: texts, events, questions and orders. The token stands in the address after the #, which a browser
// never sends; it is kept for this tab only.

let table = {};
export let language = "en";

const TOKEN = "focuscrawl-token";
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem(TOKEN, given);
  history.replaceState(null, "", location.pathname);
}
export const hasToken = () => Boolean(sessionStorage.getItem(TOKEN));

export async function loadTexts(wanted) {
  const chosen = wanted || localStorage.getItem("focuscrawl-language") || "";
  if (wanted) localStorage.setItem("focuscrawl-language", wanted);
  const answer = await ask(`texts?lang=${encodeURIComponent(chosen)}`);
  table = answer.texts;
  language = answer.language;
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
}

export function t(name, values = {}) {
  const one = String(values.n) === "1" ? table[`${name}_ONE`] : undefined;
  return (one ?? table[name] ?? name).replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}

// The text of a name the server gave; `other` where there is none.
export const known = (name, other) => table[name] ?? other;

export async function ask(path) {
  return read(await reach(`/api/${path}`));
}

// A dashboard that has ended with its crawl is said in words, not as the browser's "Failed to fetch".
async function reach(path, how) {
  try {
    return await fetch(path, how);
  } catch {
    throw new Error(t("LOST"));
  }
}

export async function order(name, body = {}) {
  const headers = { "Content-Type": "application/json", "X-Focuscrawl-Token": sessionStorage.getItem(TOKEN) ?? "" };
  return read(await reach(`/api/orders/${name}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function read(answer) {
  const data = await answer.json();
  if (data.fault) throw new Error(data.fault);
  return data;
}

// Calls back with each state, new finds, and whether the server is there. EventSource comes back by itself.
export function watch({ state, finds, there }) {
  const events = new EventSource("/api/events");
  events.addEventListener("state", (event) => state(JSON.parse(event.data)));
  events.addEventListener("finds", (event) => finds(JSON.parse(event.data)));
  events.onopen = () => there(true);
  events.onerror = () => there(false);
}

// ------------------------------------------------------------------------------------------------ numbers for people

const locale = () => (language === "zh" ? "zh-CN" : "en-GB");
export const count = (n) => (n == null ? "–" : new Intl.NumberFormat(locale()).format(n));
export const percent = (share, digits = 1) => (share == null ? "–" : `${(share * 100).toFixed(digits)}%`);
export const fixed = (n, digits = 3) => (n == null ? "–" : Number(n).toFixed(digits));

export function span(seconds) {
  const [h, min, s] = language === "zh" ? [" 小时", " 分", " 秒"] : [" h", " min", " s"];
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}${s}`;
  if (whole < 3600) return `${Math.floor(whole / 60)}${min} ${whole % 60}${s}`;
  return `${Math.floor(whole / 3600)}${h} ${Math.floor((whole % 3600) / 60)}${min}`;
}

// With the day where it is not today's.
export function moment(at) {
  const time = new Date(at * 1000);
  return time.toDateString() === new Date().toDateString() ? clock(at) : time.toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
}
export const clock = (at) => new Date(at * 1000).toLocaleTimeString(locale(), { hour12: false });
