/** An HTML page that loads no resources and runs no scripts, with its style, its policy and its frame. */
import { createHash } from 'node:crypto'
import { type Html, html, textOf, verbatim } from './html.js'

export interface HtmlPage {
  readonly title: string
  readonly content: Html
  readonly footer: string
}

/** Style sheet for light, dark and narrow screens, and for print. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1c1f23; --faint: #5b6470; --rule: #d9dee5; --card: #f6f8fa;
  --good: #0b6b3a; --bad: #b3261e; --limit: #b3261e;
  --c0: #1f5fbf; --area: .28;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #e6e9ed; --faint: #a0a9b5; --rule: #353c45; --card: #1c2127;
    --good: #5ed394; --bad: #ff8a80; --limit: #ff8a80;
    --c0: #7db3ff; --area: .35;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 68rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
}
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: .25rem 0; }
.outcome { font-weight: 600; }
.outcome.good { color: var(--good); }
.outcome.bad { color: var(--bad); }
.faint, .summary { color: var(--faint); }
.summary { font-size: .9rem; margin-top: 2rem; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 45%), 1fr)); gap: .75rem; margin: 1.5rem 0 0; }
.numbers div { display: flex; flex-direction: column; background: var(--card); border: 1px solid var(--rule); border-radius: .5rem; padding: .6rem .8rem; }
.numbers dt { color: var(--faint); font-size: .85rem; }
.numbers dd { margin: auto 0 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--rule); }
td.n, th.n { text-align: right; }
td.n, thead th, th[scope="row"] { white-space: nowrap; }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline: 2px solid var(--c0); outline-offset: 2px; }
figure { margin: 0 0 2.25rem; }
figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; justify-content: space-between; }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.1rem; list-style: none; margin: 0; padding: 0; font-size: .85rem; color: var(--faint); }
.swatch { vertical-align: middle; }
svg.chart { display: block; width: calc(100% - 4.5rem); height: 11rem; margin: .9rem .5rem 0 4rem; overflow: visible; }
svg text { fill: var(--faint); font-size: .75rem; font-variant-numeric: tabular-nums; }
svg .value { text-anchor: end; transform: translate(-.5rem, .25rem); }
svg .moment { text-anchor: middle; transform: translateY(1.2rem); }
.grid { stroke: var(--rule); stroke-width: 1; }
.area { fill: var(--c0); fill-opacity: var(--area); }
.bars { fill: var(--c0); }
.limit { fill: none; stroke: var(--limit); stroke-width: 2; stroke-dasharray: 12 4; vector-effect: non-scaling-stroke; }
.column { fill: transparent; }
.column:hover { fill: var(--ink); fill-opacity: .12; }
.bars-table { width: 100%; }
.bars-table td.bar { width: 55%; min-width: 6rem; }
.bars-table svg { display: block; width: 100%; height: 1.1rem; }
.bars-table rect { fill: var(--c0); fill-opacity: var(--area); }
.bars-table tr.own rect { fill-opacity: 1; }
.bars-table tr.own th { font-weight: 700; }
.bars-table th[scope="row"] { white-space: normal; overflow-wrap: anywhere; }
@media (max-width: 36rem) {
  .bars-table tr { display: grid; grid-template-columns: 1fr auto; gap: .2rem .75rem; padding: .4rem 0; border-bottom: 1px solid var(--rule); }
  .bars-table th, .bars-table td { border: 0; padding: 0; }
  .bars-table td.bar { grid-area: 2 / 1 / 3 / 3; width: auto; }
}
footer { margin-top: 3rem; border-top: 1px solid var(--rule); padding-top: .75rem; font-size: .85rem; color: var(--faint); }
@media print {
  :root { --paper: #fff; --ink: #000; --faint: #444; --rule: #bbb; --card: #fff; --c0: #1f5fbf; --good: #0b6b3a; --bad: #b3261e; --limit: #b3261e; color-scheme: light; }
  body { padding: 0; max-width: none; font-size: .85rem; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  figure, tr, .numbers div { break-inside: avoid; }
  h2 { break-after: avoid; }
  svg.chart { height: 8rem; }
}
`

/** Policy that allows only the style of the page, by hash. Scripts and requests are forbidden, whatever the content is. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`

export const page = ({ title, content, footer }: HtmlPage): string => `<!doctype html>
${textOf(html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${verbatim(STYLE)}</style>
</head>
<body>
<main>
${content}
</main>
<footer>${footer}</footer>
</body>
</html>
`)}`
