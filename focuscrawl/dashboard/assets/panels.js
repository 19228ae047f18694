// Panels that are opened: an explanation, an order; and the tabs for search and teaching.

import { useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { ask, count, fixed, hasToken, known, order, percent, t } from "./link.js";
import { Breaks, Marked, Out, html } from "./parts.js";
import { Neighbourhood } from "./pictures.js";

// A modal dialog of the browser: Escape closes it, and the keyboard stays inside.
export function Dialog({ title, onClose, children, wide }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${box} class=${wide ? "wide" : ""} aria-label=${title} onClose=${onClose}
      onClick=${(event) => event.target === box.current && box.current.close()}>
    <div class="inside"><header><h2>${title}</h2>
      <button type="button" class="close" aria-label=${t("CLOSE")} onClick=${() => box.current.close()}>×</button></header>
    ${children}</div></dialog>`;
}

export function useAnswer(path) {
  const [answer, set] = useState({});
  useEffect(() => {
    if (path === null) return;
    let current = true;
    set({});
    ask(path).then((data) => current && set({ data }), (error) => current && set({ fault: error.message }));
    return () => { current = false; };
  }, [path]);
  return answer;
}

const PLACES = ["title", "headings", "text", "tags", "links", "url", "site"];

// A name of the program in plain words, itself in brackets behind them.
const Plain = ({ name }) => { const words = known(`PART_${name}`, ""); return words ? html`${words} <small>(${name})</small>` : name; };

export function Explanation({ url, onClose, onExplain }) {
  const { data, fault } = useAnswer(`explain?url=${encodeURIComponent(url)}`);
  if (!data) return html`<${Dialog} title=${t("EXPLAIN")} onClose=${onClose}><p class=${fault ? "fault" : "soft"}>${fault ?? "…"}</p><//>`;
  const page = data.page;
  return html`<${Dialog} title=${page?.title || data.shown} onClose=${onClose} wide>
    <p class="address"><${Out} url=${data.url}><span dir="ltr"><${Breaks} text=${data.shown} /></span><//></p>
    <p>${page ? `${t("NUMBER", { number: count(page.number) })} ${t("DEPTH", { n: data.depth })}` : data.ahead != null ? t("WAITING", { n: count(data.ahead) }) : data.state}</p>
    ${data.line && html`<p class="snippet">${data.line.no_text ? known(`NO_TEXT_${data.line.no_text}`, "") : html`<${Marked} parts=${data.line.snippet} />`}</p>`}
    <h3>${page ? t("WHY_THEN") : t("WHY_PLACE")}</h3>
    <div class="scroll"><table><thead><tr><th>${t("PART")}</th>${["VALUE", "WEIGHT", "AMOUNT"].map((name) => html`<th class="num" title=${t(`${name}_TOLD`)}>${t(name)}</th>`)}</tr></thead><tbody>
      ${data.terms.map((term) => html`<tr><td><${Plain} name=${term.part} /></td><td class="num">${fixed(term.value, 4)}</td>
        <td class="num">${fixed(term.weight, 3)}</td><td class="num">${fixed(term.amount, 4)}</td></tr>`)}
      <tr class="sum"><td colspan="3">${t("SCORE")}</td><td class="num">${fixed(data.score, 4)}</td></tr>
      <tr><td colspan="3">${t("OFFSET")} <span class="soft">${data.group}</span></td><td class="num">${fixed(data.offset, 4)}</td></tr>
      <tr class="sum"><td colspan="3">${t("PRIORITY")}</td><td class="num">${fixed(data.priority, 4)}</td></tr>
    </tbody></table></div>
    <p class="note">${t("SUM_NOTE")}</p>
    ${data.called_by && html`<p>${t("CALLED_BY", { order: data.called_by })}</p>`}
    ${data.reason && html`<p class="soft">${data.reason}</p>`}
    <p>${data.archived ? t("IS_ARCHIVED") : data.seed ? t("IS_SEED") : html`${t("FROM_PAGE", { page: "" })}<button type="button" class="link" onClick=${() => onExplain(data.parent_url)} disabled=${!data.parent_url}><span dir="ltr">${data.parent_shown || "?"}</span></button> ${data.anchor && t("AS_ANCHOR", { anchor: data.anchor })}`}</p>
    ${page && html`<h3>${t("VERDICT")}</h3>
      <p>${t(page.relevant ? "IS_RELEVANT" : "NOT_RELEVANT", { relevance: fixed(page.relevance, 4), threshold: fixed(page.threshold, 4) })}
        ${!data.seed && !data.archived && html` · ${t("EXPECTED", { share: percent(page.predicted, 0) })}`} ${page.reason && html` · ${page.reason}`}</p>
      ${Object.keys(page.evidence).length > 0 && html`<h4>${t("WORDS_AT")}</h4><dl>${PLACES.filter((place) => page.evidence[place]).map((place) => html`
        <dt>${t(`AT_${place.toUpperCase()}`)}</dt><dd>${Object.entries(page.evidence[place]).sort((a, b) => b[1] - a[1]).map(([word, n]) => html`<span class="word"><mark>${word}</mark> × ${count(n)}</span> `)}</dd>`)}</dl>`}
      <${Neighbourhood} id=${data.key} onExplain=${onExplain} />`}
  <//>`;
}

// What is said about an order that was given.
export const told = (name, answer) => t(answer.anybody ? "GIVEN" : "GIVEN_LATER", { order: name });

const FORMS = {
  "add-seeds": ["ADD_SEEDS", "ADD_SEEDS_HELP", "urls", "textarea"],
  "ban-host": ["BAN", "BAN_HELP", "host", "input"],
  retopic: ["RETOPIC", "RETOPIC_HELP", "topic", "input"],
  set: ["LIMIT", "LIMIT_HELP", "limit", "input"],
};

export function Orders({ onClose, onTold, first }) {
  const [name, setName] = useState(first ?? "add-seeds");
  const [fault, setFault] = useState("");
  const [title, help, field, kind] = FORMS[name];
  const give = async (event) => {
    event.preventDefault();
    try {
      onTold(told(t(title), await order(name, { [field]: event.target.elements.value.value })));
      onClose();
    } catch (error) {
      setFault(error.message);
    }
  };
  return html`<${Dialog} title=${t("MORE_ORDERS")} onClose=${onClose}>
    <div class="choices" role="group">${Object.entries(FORMS).map(([one, [label]]) => html`
      <button type="button" aria-pressed=${one === name} onClick=${() => { setName(one); setFault(""); }}>${t(label)}</button>`)}</div>
    <form onSubmit=${give} key=${name}><label for="value">${t(help)}</label>
      ${kind === "textarea" ? html`<textarea id="value" name="value" rows="5" required autofocus></textarea>`
        : html`<input id="value" name="value" required autofocus autocomplete="off" />`}
      ${fault && html`<p class="fault" role="alert">${fault}</p>`}
      <p class="acts"><button class="primary">${t("GIVE")}</button></p></form><//>`;
}

export function Sure({ question, onYes, onClose }) {
  return html`<${Dialog} title=${question} onClose=${onClose}><p class="acts">
    <button type="button" class="primary" autofocus onClick=${() => { onYes(); onClose(); }}>${t("YES")}</button>
    <button type="button" onClick=${onClose}>${t("CANCEL")}</button></p><//>`;
}

export function Search({ page }) {
  const [query, setQuery] = useState("");
  const { data, fault } = useAnswer(query ? `search?q=${encodeURIComponent(query)}` : null);
  const look = (event) => {
    event.preventDefault();
    setQuery(event.target.elements.words.value.trim());
  };
  return html`<section><form class="search" role="search" onSubmit=${look}>
      <label class="hidden" for="words">${t("SEARCH_FOR")}</label>
      <input id="words" name="words" type="search" placeholder=${t("SEARCH_FOR")} autocomplete="off" />
      <button class="primary">${t("SEARCH")}</button></form>
    <p class="note">${t("SEARCH_NOTE")}</p>
    <div aria-live="polite">${fault && html`<p class="fault">${fault}</p>`}
      ${query && data && html`<p>${data.pages.length === 0 ? t("NOT_FOUND") : data.more ? t("FOUND_MORE", { n: count(data.pages.length) }) : t("FOUND", { n: count(data.pages.length) })}</p>
        <ul class="pages">${data.pages.map((one) => page(one))}</ul>`}</div></section>`;
}

export function Teach({ can, given, page, onApplied, onUndo }) {
  const [round, setRound] = useState(0);
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const { data, fault: unread } = useAnswer(can ? `borderline?round=${round}` : null);
  const n = Object.keys(given.answers).length;
  const apply = async () => {
    setBusy(true);
    try {
      const made = await order("apply-answers");
      setFault("");
      onApplied(made, made.running ? t("TAUGHT_RUNNING", { n: made.examples })
        : t("TAUGHT", { judged: count(made.judged), more: made.now_relevant, fewer: made.no_more_relevant }));
      setRound(round + 1);
    } catch (error) {
      setFault(error.message);
    }
    setBusy(false);
  };
  if (!can) return html`<section><p class="note">${t(hasToken() ? "TEACH_ONE" : "NO_TOKEN")}</p></section>`;
  return html`<section><p class="note">${t("TEACH_NOTE")}</p>
    <p class="acts" aria-live="polite">${t("ANSWERS", { n, waiting: given.waiting })} <button type="button" class="primary" disabled=${!n || !given.waiting || busy} onClick=${apply}>${busy ? "…" : t("APPLY")}</button>
      <button type="button" class="undo" disabled=${!given.undo} onClick=${onUndo}>${t("UNDO")}</button></p>
    ${n > 0 && html`<p class="note address">${t("KEPT_IN", { file: given.file })}</p>`}
    ${(fault || unread) && html`<p class="fault" role="alert">${fault || unread}</p>`}
    ${data && html`<ul class="pages">${data.pages.length === 0 ? t("TEACH_NONE") : data.pages.map((one) => page(one))}</ul>`}</section>`;
}
