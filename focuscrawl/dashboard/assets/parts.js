// Small parts of the page.

import { html } from "./vendor/preact-htm.js";
import { clock, count, fixed, known, t } from "./link.js";

export { html };

// A text whose every second part is a word of the topic.
export const Marked = ({ parts, none = "" }) =>
  parts.join("").trim() === "" ? none : parts.map((part, i) => (i % 2 ? html`<mark>${part}</mark>` : part));

// A host name or an address that breaks where its parts end, not inside a word.
export const Breaks = ({ text }) => text.split(/(?<=[/.?&=_-])/).map((part, i) => html`${i > 0 && html`<wbr />`}${part}`);

export const Tile = ({ name, value, more, tone = "" }) => html`
  <div class="tile ${tone}"><span>${name}</span><b>${value}</b><small>${more}</small></div>`;

export const Out = ({ url, children, cls = "" }) => html`
  <a class=${cls} href=${url} target="_blank" rel="noopener noreferrer">${children}</a>`;

export const Meter = ({ value, threshold }) => html`
  <span class="meter" title=${`${fixed(value)} / ${t("THRESHOLD")} ${fixed(threshold)}`} role="img"
    aria-label=${`${t("RELEVANCE")} ${fixed(value)}, ${t("THRESHOLD")} ${fixed(threshold)}`}>
    <i style=${{ width: `${Math.min(100, value * 100)}%` }}></i><u style=${{ left: `${Math.min(100, threshold * 100)}%` }}></u>
  </span>`;

// A page in a list: title, address, score, snippet, and what can be done with it.
export function Page({ page, answer, onExplain, onAnswer, onBan }) {
  return html`<li class="page ${page.relevant ? "" : "off"}">
    <h3><${Out} url=${page.url}><${Marked} parts=${page.title} none=${t("UNTITLED")} /><//></h3>
    <p class="address"><${Meter} value=${page.relevance} threshold=${page.threshold} />
      <span class="num">${fixed(page.relevance, 2)}</span> <span dir="ltr"><${Breaks} text=${page.shown} /></span></p>
    <p class="snippet">${page.no_text ? html`<span class="soft">${known(`NO_TEXT_${page.no_text}`, page.no_text)}</span>` : html`<${Marked} parts=${page.snippet} />`}</p>
    <p class="acts">
      <button type="button" onClick=${() => onExplain(page.url)}>${t("EXPLAIN")}</button>
      ${onAnswer && page.kept && html`
        <button type="button" class="yes" aria-pressed=${answer === true} onClick=${() => onAnswer(page, true)}>${t("ON_TOPIC")}</button>
        <button type="button" class="no" aria-pressed=${answer === false} onClick=${() => onAnswer(page, false)}>${t("OFF_TOPIC")}</button>`}
      ${onBan && html`<button type="button" onClick=${() => onBan(page.host)}>${t("BAN")}</button>`}
      <time class="soft">${page.at ? clock(page.at) : ""}</time>
    </p></li>`;
}

export function HostTable({ hosts, counted, onBan }) {
  const most = Math.max(1, ...hosts.map((line) => line.fetched));
  return html`<div class="scroll"><table class="hosts"><thead><tr>
      <th>${t("HOST")}</th><th class="num">${t("RELEVANT")}</th><th class="num">${t("FETCHED")}</th>
      <th class="num">${t("WAITS")}</th>${onBan && html`<th></th>`}</tr></thead><tbody>
    ${hosts.map((line) => html`<tr key=${line.host}>
      <td class="host"><span class="share"><i style=${{ width: `${(100 * line.fetched) / most}%` }}><b
        style=${{ width: `${line.fetched ? (100 * line.relevant) / line.fetched : 0}%` }}></b></i></span>
        <span dir="ltr" title=${line.host}><${Breaks} text=${line.shown} /></span></td>
      <td class="num">${count(line.relevant)}</td><td class="num">${count(line.fetched)}</td>
      <td class="num">${counted ? count(line.queued) : "–"}</td>
      ${onBan && html`<td class="act"><button type="button" class="small" aria-label=${`${t("BAN")}: ${line.shown}`}
        onClick=${() => onBan(line.host)}>${t("BAN")}</button></td>`}</tr>`)}
    </tbody></table></div>`;
}

// Bars that lie: a class of priority a line, with a word about it.
export function Bars({ lines }) {
  const most = Math.max(1, ...lines.map(([, n]) => n));
  return html`<div class="bars">${lines.map(([name, n, told]) => html`
    <span class="num" title=${told}>${name}</span><span class="bar"><i style=${{ width: `${(100 * n) / most}%` }}></i></span>
    <span class="num">${count(n)}</span>`)}</div>`;
}
