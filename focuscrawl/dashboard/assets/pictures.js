// Pictures of links: the neighbourhood of a page, and hosts.

import { useEffect, useState } from "./vendor/preact-htm.js";
import { count, t } from "./link.js";
import { html } from "./parts.js";
import { useAnswer } from "./panels.js";

const short = (text, most) => (Array.from(text).length > most ? `${Array.from(text).slice(0, most - 1).join("")}…` : text);
const wide = (text) => Array.from(text).reduce((sum, c) => sum + (c.codePointAt(0) > 0x2e7f ? 2 : 1), 0);
const fit = (text, columns) => short(text, Math.max(6, Math.floor((columns * Array.from(text).length) / Math.max(1, wide(text)))));

const press = (act) => (event) => {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    act();
  }
};

function Node({ x, y, node, side, waiting, onExplain }) {
  const act = () => onExplain(node.url);
  return html`<g class="node ${waiting ? "waiting" : node.relevant ? "good" : ""}" tabindex="0" role="button"
      aria-label=${node.label || node.shown} onClick=${act} onKeyDown=${press(act)}>
    <title>${`${node.label}\n${node.shown}`}</title>
    <rect x=${side < 0 ? x - 300 : x - 8} y=${y - 11} width="308" height="22" class="hit" />
    <circle cx=${x} cy=${y} r="6" />
    <text x=${x + 13 * side} y=${y + 4} text-anchor=${side < 0 ? "end" : "start"}>${fit(node.label || node.shown, 40)}</text></g>`;
}

export function Neighbourhood({ id, onExplain }) {
  const { data, fault } = useAnswer(`neighbourhood?key=${id}`);
  if (!data) return html`<p class="soft">${fault ?? "…"}</p>`;
  const right = [...data.to.map((node) => [node, false]), ...data.waiting.map((node) => [node, true])];
  const rows = Math.max(data.from.length, right.length, 1);
  const height = rows * 26 + 20;
  const at = (i, n) => height / 2 + (i - (n - 1) / 2) * 26;
  const line = (x, y) => `M460 ${height / 2} C ${x < 460 ? 400 : 520} ${height / 2}, ${x < 460 ? 390 : 530} ${y}, ${x} ${y}`;
  return html`<h3>${t("NEIGHBOURS")}</h3><p class="note">${t("NEIGHBOURS_NOTE", data.counts)}</p>
    <div class="scroll"><svg class="links" viewBox=${`0 0 920 ${height}`} style=${{ minWidth: "640px" }}>
      ${data.from.map((_, i) => html`<path d=${line(330, at(i, data.from.length))} />`)}
      ${right.map(([, waiting], i) => html`<path class=${waiting ? "waiting" : ""} d=${line(590, at(i, right.length))} />`)}
      ${data.from.map((node, i) => html`<${Node} key=${node.key} x=${330} y=${at(i, data.from.length)} node=${node} side=${-1} onExplain=${onExplain} />`)}
      ${right.map(([node, waiting], i) => html`<${Node} key=${node.key} x=${590} y=${at(i, right.length)} node=${node} side=${1} waiting=${waiting} onExplain=${onExplain} />`)}
      <circle class=${data.page.relevant ? "this good" : "this"} cx="460" cy=${height / 2} r="11" /></svg></div>`;
}

const narrow = matchMedia("(max-width: 720px)");

function useNarrow() {
  const [is, setIs] = useState(narrow.matches);
  useEffect(() => {
    const change = () => setIs(narrow.matches);
    narrow.addEventListener("change", change);
    return () => narrow.removeEventListener("change", change);
  }, []);
  return is;
}

export function HostMap({ onBan }) {
  const [round, setRound] = useState(0);
  // Drawn for the window: a wide map on a narrow screen is one half of it, in letters that nobody can read.
  const [width, margin, biggest] = useNarrow() ? [340, 52, 15] : [1000, 110, 22];
  const { data, fault } = useAnswer(`hosts?round=${round}`);
  if (!data) return html`<section><p class=${fault ? "fault" : "soft"}>${fault ?? "…"}</p></section>`;
  const most = Math.max(1, ...data.hosts.map((host) => host.pages));
  const X = (host) => margin + host.x * (width - 2 * margin);
  const Y = (host) => 50 + host.y * 500;
  const R = (host) => 5 + biggest * Math.sqrt(host.pages / most);
  // A name that would lie over a better host's name or circle is left to the tooltip.
  const taken = data.hosts.map((host) => [X(host) - R(host), Y(host) - R(host), X(host) + R(host), Y(host) + R(host)]);
  const label = {};
  for (const host of data.hosts) {
    const text = fit(host.shown, 26);
    const half = wide(text) * 3.4;
    const x = Math.min(Math.max(X(host), half), width - half);
    for (const y of [Y(host) + R(host) + 14, Y(host) - R(host) - 5]) {
      const box = [x - half, y - 11, x + half, y + 3];
      if (taken.some(([a, b, c, d]) => box[0] < c && box[2] > a && box[1] < d && box[3] > b)) continue;
      taken.push(box);
      label[host.host] = [text, x, y];
      break;
    }
  }
  const named = Object.fromEntries(data.hosts.map((host) => [host.host, host]));
  const strongest = Math.max(1, ...data.edges.map((edge) => edge.count));
  return html`<section><p class="note">${t("HOSTS_NOTE", { n: data.hosts.length, all: count(data.all) })}
      <button type="button" onClick=${() => setRound(round + 1)}>${t("DRAW_AGAIN")}</button></p>
    <div class="scroll"><svg class="links hosts" viewBox=${`0 0 ${width} 610`} style=${{ maxWidth: `${1.4 * width}px` }}>
      <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L8 4 L0 8 z" /></marker></defs>
      ${data.edges.map((edge) => {
        const [a, b] = [named[edge.from], named[edge.to]];
        const length = Math.hypot(X(b) - X(a), Y(b) - Y(a)) || 1;
        const [dx, dy] = [(X(b) - X(a)) / length, (Y(b) - Y(a)) / length];
        return html`<line x1=${X(a) + dx * R(a)} y1=${Y(a) + dy * R(a)} x2=${X(b) - dx * (R(b) + 2)} y2=${Y(b) - dy * (R(b) + 2)}
          stroke-width=${0.8 + 2.4 * Math.sqrt(edge.count / strongest)} marker-end="url(#tip)"><title>${`${a.shown} → ${b.shown}: ${edge.count}`}</title></line>`;
      })}
      ${data.hosts.map((host) => html`<g class="node" key=${host.host} tabindex=${onBan ? 0 : -1} role=${onBan ? "button" : "img"}
          aria-label=${`${host.shown}: ${host.relevant} / ${host.pages}`} onClick=${() => onBan?.(host.host)} onKeyDown=${press(() => onBan?.(host.host))}>
        <title>${`${host.shown}: ${count(host.relevant)} / ${count(host.pages)}`}</title>
        <circle class="all" cx=${X(host)} cy=${Y(host)} r=${R(host)} />
        <circle class="part" cx=${X(host)} cy=${Y(host)} r=${R(host) * Math.sqrt(host.relevant / Math.max(1, host.pages))} />
        ${label[host.host] && html`<text x=${label[host.host][1]} y=${label[host.host][2]} text-anchor="middle">${label[host.host][0]}</text>`}</g>`)}
    </svg></div></section>`;
}
