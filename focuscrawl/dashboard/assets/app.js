// The dashboard: one page about a crawl, kept up to date by server-sent events.

import { render, useCallback, useEffect, useMemo, useState } from "./vendor/preact-htm.js";
import { ask, count, fixed, hasToken, known, language, loadTexts, moment, order, percent, span, t, watch } from "./link.js";
import { Bars, Breaks, HostTable, Page, Tile, html } from "./parts.js";
import { Chart, along } from "./charts.js";
import { Explanation, Orders, Search, Sure, Teach, told } from "./panels.js";
import { HostMap } from "./pictures.js";

const SHOWN = 20;
const TABS = ["live", "search", "teach", "hosts"];
const TURNS = ["visit", "called", "behind"];
const SAW = ["changed", "moved", "gone", "unchanged", "failed"];
const NOTHING = { answers: {}, waiting: 0, undo: false, file: "" };
const reason = (name) => known(`REASON_${name}`, name);
// A turn of a link that is not its priority's, with what it means.
const turn = (name) => html`<span title=${t(`TURN_${name.toUpperCase()}_TOLD`)}>${t(`TURN_${name.toUpperCase()}`)}</span>`;

function Head({ state, there, onOrder, onMore, onLanguage, can }) {
  const { run, numbers, report } = state;
  const why = run.state === "ended" && run.reason ? t("WHY_ENDED", { why: reason(run.reason) + (run.detail[language] ? t("IN_BRACKETS", { text: run.detail[language] }) : "") })
    : run.state === "gone" ? t("GONE_TOLD") : "";
  const facts = [run.topic !== run.title && run.topic, run.strategy && t("STRATEGY", { name: run.strategy }),
    run.fleet && t("FLEET", { name: run.fleet, server: run.server }), run.worked_s != null && t("WORKED", { time: span(run.worked_s) })];
  const alive = there && ["running", "paused", "stopping"].includes(run.state);
  return html`<header class="top"><div>
      <h1><bdi>${run.title || "focuscrawl"}</bdi> <span class="state ${run.state}">${run.paused_since ? t("PAUSED_SINCE", { at: moment(run.paused_since) }) : t(run.state.toUpperCase())}</span></h1>
      <p class="soft">${facts.filter(Boolean).join(" · ")}</p>${why && html`<p class="why">${why}</p>`}
      ${run.state === "ended" && report && html`<p class="soft address">${t("REPORT_AT", { file: "" })}${there ? html`<a href="/report" target="_blank"><${Breaks} text=${report} /></a>` : html`<${Breaks} text=${report} />`}</p>`}</div>
    <div class="acts">
      ${can && html`
        ${run.state === "paused" ? html`<button type="button" class="primary" onClick=${() => onOrder("resume", "RESUME")}>${t("RESUME")}</button>`
          : html`<button type="button" disabled=${!alive} onClick=${() => onOrder("pause", "PAUSE")}>${t("PAUSE")}</button>`}
        <button type="button" class="stop" disabled=${!alive} onClick=${() => onOrder("stop", "STOP", "STOP_ASK")}>${t("STOP")}</button>
        <button type="button" disabled=${!there} onClick=${onMore}>${t("MORE_ORDERS")}</button>`}
      <button type="button" class="quiet" lang=${language === "zh" ? "en" : "zh-Hans"} aria-label=${t("LANGUAGE_TOLD")} onClick=${onLanguage}>${language === "zh" ? "English" : "中文"}</button></div>
    ${numbers.goal > 0 && html`<div class="progress" role="progressbar" aria-valuemin="0" aria-valuemax=${numbers.goal} aria-valuenow=${Math.min(numbers.pages, numbers.goal)}>
      <i style=${{ width: `${Math.min(100, (100 * numbers.pages) / numbers.goal)}%` }}></i></div>`}</header>`;
}

function Tiles({ numbers: n }) {
  return html`<div class="tiles">
    <${Tile} name=${t("PAGES")} value=${count(n.pages)} more=${[n.goal > 0 && t("OF_GOAL", { goal: count(n.goal) }), n.left_s != null && t("LEFT", { time: span(n.left_s) })].filter(Boolean).join(" · ")} />
    <${Tile} name=${t("RELEVANT")} value=${count(n.relevant)} more=${t("STORED", { n: count(n.stored) })} tone="good" />
    <${Tile} name=${t("HARVEST")} value=${n.pages ? percent(n.harvest) : "–"} more=${n.read ? t("RECENT", { n: n.recent_pages, share: percent(n.recent) }) : ""} />
    <${Tile} name=${t("SPEED")} value=${fixed(n.rate, n.rate < 10 ? 1 : 0)} more=${`${t("THRESHOLD")} ${fixed(n.threshold)}`} />
    <${Tile} name=${t("HOSTS")} value=${count(n.hosts)} more=${t("WITH_RELEVANT", { n: count(n.relevant_hosts) })} />
    <${Tile} name=${t("QUEUE")} value=${count(n.queued)} more=${t("WAIT")} />
    <${Tile} name=${t("NO_PAGE")} value=${count(n.failed)} more=${n.failed ? t("OF_FETCHES", { share: percent(n.failed / (n.failed + n.pages)) }) : ""} />
  </div>`;
}

function Charts({ curve, numbers, counted }) {
  const known = curve.breadth.length > 1;
  const found = useMemo(() => {
    const mean = numbers.read ? curve.found[curve.found.length - 1] / numbers.read : 0;
    const lines = [curve.pages, curve.found, curve.pages.map((x) => x * mean)];
    return known ? [...lines, along(curve.breadth, curve.pages)] : lines;
  }, [curve]);
  const recent = useMemo(() => [curve.pages.slice(1), curve.recent], [curve]);
  const threshold = useMemo(() => [curve.pages.slice(1), curve.threshold], [curve]);
  if (!numbers.read) return html`<section><p class="soft">${t("NO_PAGES_YET")}</p></section>`;
  const series = [{ label: t("THIS_CRAWL"), colour: "--s1", fill: "--fill" }, { label: t("MEAN"), colour: "--guide", dash: [4, 4] }];
  if (known) series.push({ label: t("BREADTH"), colour: "--s2", dash: [8, 4] });
  return html`<div class="pair charts"><section><h2>${t("CURVE")}</h2>
      <${Chart} name=${t("PAGES_FETCHED")} data=${found} height=${250} series=${series} />
      <p class="note">${known ? t("CURVE_NOTE") : counted ? t("NO_BREADTH") : t("NOT_COUNTED")}</p></section>
    <section><h2>${t("RECENT_CURVE")}</h2>
      <${Chart} name=${t("PAGES_FETCHED")} data=${recent} height=${130} unit="share" series=${[{ label: t("HARVEST"), colour: "--s1", fill: "--fill" }]} />
      <h3 title=${t("THRESHOLD_NOTE")}>${t("THRESHOLD_CURVE")}</h3>
      <${Chart} name=${t("PAGES_FETCHED")} data=${threshold} height=${110} unit="score" series=${[{ label: t("THRESHOLD"), colour: "--s3" }]} />
      <p class="note">${t("THRESHOLD_NOTE")}</p></section></div>`;
}

function Workers({ workers }) {
  if (!workers.length) return html`<p class="soft">${t("NO_WORKERS")}</p>`;
  return html`<div class="scroll"><table><thead><tr><th></th><th class="num">${t("PAGES")}</th><th class="num">${t("RELEVANT")}</th><th class="num">${t("SPEED")}</th></tr></thead><tbody>
    ${workers.map((one) => html`<tr key=${one.name} class=${one.alive ? "" : "off"}><td><span class="dot ${one.alive ? (one.silent ? "silent" : "alive") : "dead"}"></span>${one.name}
      <small class="soft"> ${[one.pid && t("PROCESS", { pid: one.pid }), one.trainer && t("TRAINER"), !one.alive ? t("DEAD") : one.silent && t("SILENT", { n: Math.round(one.last_heard_s) })].filter(Boolean).join(" · ")}</small></td>
      <td class="num">${count(one.pages)}</td><td class="num">${count(one.relevant)}</td><td class="num">${fixed(one.rate, 1)}</td></tr>`)}</tbody></table></div>`;
}

function Visits({ visits: { seen, waiting, last } }) {
  const now = waiting > 0 || Object.keys(seen).length > 0;
  const rounds = [now && [t("VISITS_NOW", { n: count(waiting) }), seen], last && [t("VISITS_LAST", { at: moment(last.at) }), last]].filter(Boolean);
  return html`<section class="visits"><h2>${t("VISITS")}</h2><div class="scroll"><table><thead><tr><th></th>${SAW.map((name) => html`<th class="num">${t(`SAW_${name.toUpperCase()}`)}</th>`)}</tr></thead><tbody>
      ${rounds.map(([name, counts]) => html`<tr key=${name}><td>${name}</td>${SAW.map((saw) => html`<td class="num">${count(counts[saw] ?? 0)}</td>`)}</tr>`)}</tbody></table></div>
    ${last?.pages > 0 && html`<p class="note">${t("FRESH", { before: percent(last.freshness_before), after: percent(last.freshness), n: count(last.pages), age: span(last.age_s) })}</p>`}</section>`;
}

// Whether the text of a link says where it leads: "2 »" and "here" do not.
const tells = (anchor) => (anchor.match(/\p{L}/gu) ?? []).length > (/[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]/.test(anchor) ? 1 : 4);

function Live({ state, finds, page, onBan, onExplain }) {
  const { queue, errors } = state;
  const classes = queue.by_score.map(([name, n]) => (TURNS.includes(name) ? [turn(name), n]
    : [`${(name / 10).toFixed(1)}–${((Number(name) + 1) / 10).toFixed(1)}`, n]));
  return html`<${Tiles} numbers=${state.numbers} /><${Charts} curve=${state.curve} numbers=${state.numbers} counted=${queue.counted} />
    <div class="columns"><section class="finds"><h2>${t("FINDS")}</h2>
      ${finds.length ? html`<ul class="pages">${finds.map(page)}</ul>` : html`<p class="soft">${t("NO_FINDS")}</p>`}</section>
    <div><section><h2>${t("WORKERS")}</h2><${Workers} workers=${state.workers} /></section>
      ${state.visits && html`<${Visits} visits=${state.visits} />`}
      <section><h2>${t("BY_HOST")}</h2><${HostTable} hosts=${state.hosts.slice(0, 14)} counted=${queue.counted} onBan=${onBan} />
        ${queue.sample > 0 && html`<p class="note">${t("SAMPLED", { n: count(queue.sample) })}</p>`}</section>
      <section><h2>${t("BY_SCORE")}</h2><p class="note">${!queue.counted ? t("NOT_COUNTED") : queue.sample > 0 ? t("SAMPLED", { n: count(queue.sample) }) : t("BY_SCORE_NOTE")}</p><${Bars} lines=${classes} />
        ${queue.next.length > 0 && html`<h3>${t("NEXT")}</h3><p class="note">${t("NEXT_NOTE")}</p><ol class="next">${queue.next.map((link) => html`<li key=${link.url}><span class="num">${link.priority == null ? "" : fixed(link.priority, 2)}</span>
          <button type="button" class="link" onClick=${() => onExplain(link.url)}>${link.anchor} ${!tells(link.anchor) && html`<small dir="ltr"><${Breaks} text=${link.shown} /></small>`}</button>${link.turn && html` <small class="tag">${turn(link.turn)}</small>`}</li>`)}</ol>`}</section>
      <section><h2>${t("ERRORS")}</h2>${errors.length ? html`<table><tbody>${errors.map((line) => html`<tr><td>${line.reason[language]} <small class="soft">${t(`OUTCOME_${line.outcome.toUpperCase()}`)}</small></td><td class="num">${count(line.count)}</td></tr>`)}</tbody></table>`
        : html`<p class="soft">${t("NO_ERRORS")}</p>`}</section></div></div>`;
}

function App() {
  const [state, setState] = useState(null);
  const [fault, setFault] = useState("");
  const [finds, setFinds] = useState([]);
  const [there, setThere] = useState(true);
  const [tab, setTab] = useState("live");
  const [open, setOpen] = useState(null);
  const [note, setNote] = useState("");
  const [given, setGiven] = useState(NOTHING);
  const [, again] = useState(0);
  useEffect(() => watch({
    state: (news) => { setFault(news.fault ?? ""); if (news.run) setState(news); },
    finds: (news) => setFinds((old) => [...[...news].reverse(), ...old.filter((one) => !news.some((other) => other.key === one.key))].slice(0, SHOWN)),
    there: setThere,
  }), []);
  useEffect(() => { if (note) { const timer = setTimeout(() => setNote(""), 8000); return () => clearTimeout(timer); } }, [note]);
  useEffect(() => { if (state) document.title = `${percent(state.numbers.recent, 0)} · ${state.run.title || "focuscrawl"}`; }, [state]);
  const can = Boolean(state?.steer.can) && hasToken();
  const send = (name, label, body) => order(name, body).then((answer) => setNote(told(label, answer)), (error) => setNote(error.message));
  const explain = useCallback((url) => setOpen({ url }), []);
  const ban = can ? (host) => setOpen({ question: t("BAN_ASK", { host }), yes: () => send("ban-host", t("BAN"), { host }) }) : undefined;
  const teaches = Boolean(state?.teach) && hasToken();
  useEffect(() => { if (teaches) ask("answers").then(setGiven, () => {}); }, [teaches]);
  const keep = (name, body) => order(name, body).then((kept) => { setGiven(kept); return kept; });
  const mark = teaches ? (page, relevant) => given.answers[page.url] !== relevant && keep("answer", { key: page.key, relevant }).then(
    (kept) => setNote(t("KEPT", { n: kept.waiting })), (error) => setNote(error.message)) : undefined;
  const close = useCallback(() => setOpen(null), []);
  const page = (one) => html`<${Page} key=${one.key} page=${one} answer=${given.answers[one.url]} onExplain=${explain} onAnswer=${mark} onBan=${ban} />`;
  const change = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length];
    setTab(next);
    document.getElementById(`tab-${next}`).focus();
  };
  const pending = given.waiting;
  const over = state?.run.state === "ended";
  return html`<main>
    ${!there && html`<p class=${`banner ${over ? "" : "bad"}`} role="alert">${t(over ? "OVER" : "LOST")}</p>`}
    ${fault && html`<p class="banner bad" role="alert">${t("FAULT", { why: fault })}</p>`}
    ${state && html`
      <${Head} state=${state} there=${there} can=${can} onMore=${() => setOpen({ orders: true })}
        onLanguage=${() => loadTexts(language === "zh" ? "en" : "zh").then(() => again((n) => n + 1))}
        onOrder=${(name, label, question) => (question ? setOpen({ question: t(question), yes: () => send(name, t(label)) }) : send(name, t(label)))} />
      ${!hasToken() ? html`<p class="banner">${t("NO_TOKEN")}</p>` : !state.steer.can && html`<p class="banner">${t("NO_STEER", { why: state.steer.why_not === "steer" ? t("SEVERAL") : state.steer.why_not })}</p>`}
      ${state.warnings[language].map((told) => html`<p class="banner warning"><b>${t("LOOK_AT")}</b>${told}</p>`)}
      <div class="tabs" role="tablist" onKeyDown=${change}>${TABS.map((name) => html`<button type="button" role="tab" id=${`tab-${name}`} aria-controls="panel" aria-selected=${tab === name}
        tabindex=${tab === name ? 0 : -1} onClick=${() => setTab(name)}>${t(`TAB_${name.toUpperCase()}`)}${name === "teach" && pending > 0 && html` <span class="badge">${pending}</span>`}</button>`)}</div>
      <div id="panel" role="tabpanel" aria-labelledby=${`tab-${tab}`}>
        ${tab === "live" && html`<${Live} state=${state} finds=${finds} page=${page} onBan=${ban} onExplain=${explain} />`}
        ${tab === "search" && html`<${Search} page=${page} />`}
        ${tab === "teach" && html`<${Teach} can=${Boolean(mark)} given=${given} page=${page} onUndo=${() => keep("undo-answer").catch((error) => setNote(error.message))}
          onApplied=${(made, text) => { setGiven(made); setNote(text); }} />`}
        ${tab === "hosts" && html`<${HostMap} onBan=${ban} />`}</div>
      <footer class="note"><span dir="ltr">${state.run.name}</span><br />${t("SOURCES")}</footer>`}
    ${!state && !fault && html`<p class="soft">${t("LOADING")}</p>`}
    <p class="toast" role="status" aria-live="polite" hidden=${!note}>${note}</p>
    ${open?.url && html`<${Explanation} key=${open.url} url=${open.url} onClose=${close} onExplain=${explain} />`}
    ${open?.orders && html`<${Orders} onClose=${close} onTold=${setNote} />`}
    ${open?.question && html`<${Sure} question=${open.question} onYes=${open.yes} onClose=${close} />`}
  </main>`;
}

await loadTexts();
render(html`<${App} />`, document.getElementById("app"));
