/** A report as a page: one file that asks for nothing, runs nothing, and can be read anywhere. */
import { createHash } from 'node:crypto'
import type { ManifestFile } from '../../export/index.js'
import { bytes, duration, number, plural } from '../text.js'
import { chart } from './chart.js'
import { charts } from './charts.js'
import { type Html, html, print, verbatim } from './html.js'
import type { Incidents } from './Incidents.js'
import type { Recording } from './Recording.js'
import { clockTime } from './scale.js'
import { scrolled, section } from './section.js'
import { style } from './style.js'
import { table } from './table.js'

// model

/** What a run knows of itself and no chart shows. */
export interface ReportFacts {
  /** Such as `Export of charges`. */
  readonly title: string
  /** When it began, in ms since 1970. */
  readonly began: number
  /** How long it took, in ms. */
  readonly ms: number
  readonly isComplete: boolean
  /** One line, and why it is not complete. */
  readonly summary: string
  readonly reason?: string
  /** What was asked for, and under which settings: names and values. No secrets. */
  readonly query: ReadonlyArray<Pair>
  /** Numbers that are told first. */
  readonly counts: ReadonlyArray<Pair>
  readonly files: ReadonlyArray<ManifestFile>
  /** Of what this was made by. */
  readonly version: string
}

export type Pair = readonly [name: string, value: string]

// constructors

export const reportPage = (facts: ReportFacts, recording: Recording): string => `<!doctype html>
${print(html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${facts.title}: ${facts.isComplete ? 'complete' : 'incomplete'}</title>
<style>${verbatim(style)}</style>
</head>
<body>
<main>
${heading(facts)}
${queryTable(facts)}
${filesTable(facts)}
${section(
  'charts',
  'Over time',
  charts(recording).map((one) => chart(one, recording.intervals)),
)}
${incidentsTable(recording.incidents)}
${section('numbers', 'The numbers behind the charts', table(recording.intervals))}
</main>
<footer>Made by payments-rx ${facts.version}. Times of charts are since the beginning of the run. This page loads nothing from anywhere.</footer>
</body>
</html>
`)}`

/** Nothing but its own style, which is told by its hash: no script, no request, whatever gets in. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`

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

const queryTable = ({ query }: ReportFacts): Html =>
  section(
    'asked',
    'What was asked for',
    query.length === 0
      ? html`<p>All that there is.</p>`
      : html`<table><tbody>${query.map(
          ([name, value]) =>
            html`<tr><th scope="row">${name}</th><td class="long"><bdi>${value}</bdi></td></tr>`,
        )}</tbody></table>`,
  )

const filesTable = ({ files }: ReportFacts): Html =>
  section(
    'files',
    'Files',
    files.length === 0
      ? html`<p>None was written.</p>`
      : scrolled(
          'files',
          html`<table>
<thead><tr><th scope="col">File</th><th scope="col" class="n">Rows</th><th scope="col" class="n">Size</th><th scope="col">SHA-256</th></tr></thead>
<tbody>${files.map(
            (file) => html`<tr><td class="long"><bdi>${file.path}</bdi></td>
<td class="n">${number(file.rows)}</td>
<td class="n">${bytes(file.bytes)}</td>
<td><code>${file.sha256}</code></td></tr>`,
          )}</tbody></table>`,
        ),
  )

const incidentsTable = ({ kinds, others }: Incidents): Html =>
  section(
    'incidents',
    'What did not go as it should',
    kinds.size === 0
      ? html`<p>Nothing: every request was answered, and none was refused.</p>`
      : scrolled(
          'incidents',
          html`<table>
<thead><tr><th scope="col">What</th><th scope="col" class="n">How often</th><th scope="col" class="n">First</th><th scope="col" class="n">Last</th></tr></thead>
<tbody>${Array.from(
            kinds.values(),
            ({ what, count, first, last }) =>
              html`<tr><td class="long"><bdi>${what}</bdi></td><td class="n">${number(count)}</td><td class="n">${clockTime(first)}</td><td class="n">${clockTime(last)}</td></tr>`,
          )}</tbody></table>${others > 0 ? html`<p>And ${plural(others, 'other')}.</p>` : undefined}`,
        ),
  )
