/** `--report FILE`: one page about a run, which loads nothing, runs nothing, and can be read anywhere. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { isSystemError } from '../../export/file/FileSystem.js'
import type { ManifestFile } from '../../export/index.js'
import type { MonitoredRun, ProgressMonitor } from '../progress/ProgressMonitor.js'
import { bytes, duration, number, plural } from '../text.js'
import { charts, table } from './charts.js'
import { type Html, html, scrollable, section, textOf, verbatim } from './html.js'
import { type Incidents, type Recording, recorder } from './recorder.js'
import { clockTime, svgChart } from './svgChart.js'

// model

/** Shown on the page beside its charts. */
export interface ReportFacts {
  /** Such as `Export of charges`. */
  readonly title: string
  /** In ms since 1970. */
  readonly began: number
  /** Duration of the run, in ms. */
  readonly ms: number
  readonly isComplete: boolean
  readonly summary: string
  /** Why it is not complete. */
  readonly reason?: string
  /** Query and settings: names and values, without secrets. */
  readonly query: ReadonlyArray<Pair>
  /** Shown at the top. */
  readonly counts: ReadonlyArray<Pair>
  readonly files: ReadonlyArray<ManifestFile>
  /** Version of this package. */
  readonly version: string
}

export type Pair = readonly [name: string, value: string]

export interface Report {
  /** Writes the page, also when it is closed. Resolves with the reason if the system does not let it. */
  readonly write: (facts: ReportFacts) => Promise<string | undefined>
  /** Stops recording. */
  readonly close: () => void
}

// constructors

/** Records a run from now on. */
export const reportTo =
  (path: string) =>
  (run: Pick<MonitoredRun, 'client' | 'timer'>, monitor: ProgressMonitor): Report => {
    const { recording, close } = recorder(run, monitor)
    const write = (facts: ReportFacts): Promise<string | undefined> =>
      writeFile(path, reportPage(facts, recording())).then(
        () => undefined,
        (error: unknown) => {
          if (!isSystemError(error)) throw error
          return `cannot write ${path}: ${error.message}`
        },
      )
    return { write, close }
  }

/** Light, dark, narrow and on paper. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1c1f23; --faint: #5b6470; --rule: #d9dee5; --card: #f6f8fa;
  --good: #0b6b3a; --bad: #b3261e; --limit: #b3261e;
  --c0: #1f5fbf; --c1: #a24b00; --c2: #6b3fa0; --area: .28;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #e6e9ed; --faint: #a0a9b5; --rule: #353c45; --card: #1c2127;
    --good: #5ed394; --bad: #ff8a80; --limit: #ff8a80;
    --c0: #7db3ff; --c1: #ffb066; --c2: #cda6ff; --area: .35;
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
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1.5rem 0 0; }
.numbers div { background: var(--card); border: 1px solid var(--rule); border-radius: .5rem; padding: .6rem .8rem; }
.numbers dt { color: var(--faint); font-size: .85rem; }
.numbers dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
caption { text-align: left; color: var(--faint); padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--rule); }
td.n, th.n { text-align: right; }
td.n, thead th, th[scope="row"] { white-space: nowrap; }
td.long { overflow-wrap: anywhere; min-width: 12rem; }
code { font: .85em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
.scroll code { display: block; min-width: 17rem; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--c0); outline-offset: 2px; }
summary { cursor: pointer; }
figure { margin: 0 0 2.25rem; }
figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; justify-content: space-between; }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.1rem; list-style: none; margin: 0; padding: 0; font-size: .85rem; color: var(--faint); }
.swatch { vertical-align: middle; }
svg.chart { display: block; width: calc(100% - 4.5rem); height: 11rem; margin: .9rem .5rem 0 4rem; overflow: visible; }
svg text { fill: var(--faint); font-size: .75rem; font-variant-numeric: tabular-nums; }
svg .value { text-anchor: end; transform: translate(-.5rem, .25rem); }
svg .moment { text-anchor: middle; transform: translateY(1.2rem); }
.grid { stroke: var(--rule); stroke-width: 1; }
.line, .limit { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; }
.colour-0 { stroke: var(--c0); }
.colour-1 { stroke: var(--c1); }
.colour-2 { stroke: var(--c2); }
.area { fill: var(--c0); fill-opacity: var(--area); stroke: none; }
.bars { stroke: none; }
.bars.colour-0 { fill: var(--c0); }
.bars.colour-1 { fill: var(--c1); }
.dashed { stroke-dasharray: 7 4; }
.dotted { stroke-dasharray: 2 4; }
.limit { stroke: var(--limit); stroke-dasharray: 12 4; }
.column { fill: transparent; }
.column:hover { fill: var(--ink); fill-opacity: .12; }
footer { margin-top: 3rem; border-top: 1px solid var(--rule); padding-top: .75rem; font-size: .85rem; color: var(--faint); }
@media print {
  :root { --paper: #fff; --ink: #000; --faint: #444; --rule: #bbb; --card: #fff; --c0: #1f5fbf; --c1: #a24b00; --c2: #6b3fa0; --good: #0b6b3a; --bad: #b3261e; --limit: #b3261e; color-scheme: light; }
  body { padding: 0; max-width: none; font-size: .85rem; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  figure, tr, .numbers div { break-inside: avoid; }
  h2 { break-after: avoid; }
  svg.chart { height: 8rem; }
}
`

/** Allows nothing but the style of the page, by its hash: no script and no request, whatever text gets in. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`

export const reportPage = (facts: ReportFacts, recording: Recording): string => `<!doctype html>
${textOf(html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${facts.title}: ${facts.isComplete ? 'complete' : 'incomplete'}</title>
<style>${verbatim(STYLE)}</style>
</head>
<body>
<main>
${heading(facts)}
${queryTable(facts)}
${filesTable(facts)}
${section(
  'charts',
  'Over time',
  charts(recording).map((chart) => svgChart(chart, recording.intervals)),
)}
${incidentsTable(recording.incidents)}
${section('numbers', 'The numbers behind the charts', table(recording.intervals))}
</main>
<footer>Made by payments-rx ${facts.version}. Times of charts are since the beginning of the run. This page loads nothing from anywhere.</footer>
</body>
</html>
`)}`

const heading = ({ title, began, ms, isComplete, summary, reason, counts }: ReportFacts): Html =>
  html`<header>
<h1>${title}</h1>
<p class="faint">Began ${time(began)}, ended ${time(began + ms)}, took ${duration(ms)}</p>
<p class="outcome ${isComplete ? 'good' : 'bad'}">${summary}</p>
${reason && html`<p class="outcome bad">${reason}</p>`}
<dl class="numbers">${counts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>`

const time = (ms: number): Html => {
  const text = new Date(ms).toISOString()
  return html`<time datetime="${text}">${text.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`
}

const queryTable = ({ query }: ReportFacts): Html => {
  const rows = query.map(
    ([name, value]) =>
      html`<tr><th scope="row">${name}</th><td class="long"><bdi>${value}</bdi></td></tr>`,
  )
  return section(
    'asked',
    'What was asked for',
    rows.length === 0
      ? html`<p>All that there is.</p>`
      : html`<table><tbody>${rows}</tbody></table>`,
  )
}

const filesTable = ({ files }: ReportFacts): Html => {
  const rows = files.map(
    (file) => html`<tr><td class="long"><bdi>${file.path}</bdi></td>
<td class="n">${number(file.rows)}</td>
<td class="n">${bytes(file.bytes)}</td>
<td><code>${file.sha256}</code></td></tr>`,
  )
  const all = html`<table>
<thead><tr><th scope="col">File</th><th scope="col" class="n">Rows</th><th scope="col" class="n">Size</th><th scope="col">SHA-256</th></tr></thead>
<tbody>${rows}</tbody></table>`
  const none = html`<p>None was written.</p>`
  return section('files', 'Files', rows.length === 0 ? none : scrollable('files', all))
}

const incidentsTable = ({ kinds, others }: Incidents): Html => {
  const rows = Array.from(
    kinds.values(),
    ({ what, count, first, last }) =>
      html`<tr><td class="long"><bdi>${what}</bdi></td><td class="n">${number(count)}</td><td class="n">${clockTime(first)}</td><td class="n">${clockTime(last)}</td></tr>`,
  )
  const all = html`<table>
<thead><tr><th scope="col">What</th><th scope="col" class="n">How often</th><th scope="col" class="n">First</th><th scope="col" class="n">Last</th></tr></thead>
<tbody>${rows}</tbody></table>${others > 0 ? html`<p>And ${plural(others, 'other')}.</p>` : undefined}`
  const none = html`<p>Nothing: every request was answered, and none was refused.</p>`
  return section(
    'incidents',
    'What did not go as it should',
    rows.length === 0 ? none : scrollable('incidents', all),
  )
}
