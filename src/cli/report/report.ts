/** `--report FILE`: one page about a run, which loads nothing, runs nothing, and can be read anywhere. */
import { writeFile } from 'node:fs/promises'
import type { ManifestFile, ManifestRun } from '../../export/index.js'
import { type Html, html, scrollable, section } from '../../report/html.js'
import { page } from '../../report/page.js'
import { clockTime, svgChart } from '../../report/svgChart.js'
import { bytes, duration, number, percent, plural } from '../../report/text.js'
import { isSystemError } from '../../store/FileSystem.js'
import type { MonitoredRun, ProgressMonitor } from '../progress/ProgressMonitor.js'
import { charts, table } from './charts.js'
import { type Incidents, type Recording, recorder } from './recorder.js'

// model

/** Shown on the page beside its charts. */
export interface ReportFacts {
  /** Such as `Export of charges`. */
  readonly title: string
  /** When its first start began, in ms since 1970. */
  readonly began: number
  /** When its last start ended, in ms since 1970. */
  readonly ended: number
  /** Duration of all its starts, in ms. */
  readonly ms: number
  /** How often it was begun or resumed. */
  readonly starts: number
  /** The outcome, such as `Complete: 5,000 rows`. */
  readonly verdict: string
  readonly isComplete: boolean
  readonly summary: string
  /** Why it is not complete. */
  readonly reason?: string
  /** Query and settings: names and values, without secrets. */
  readonly query: ReadonlyArray<Pair>
  /** Shown at the top. */
  readonly counts: ReadonlyArray<Pair>
  /** Absent where rows go into a table. */
  readonly files: ReadonlyArray<ManifestFile> | undefined
  /** Rows and exact sums by status and currency, of all starts. */
  readonly totals: NonNullable<ManifestRun['totals']>
  /** Why rows were rejected, of all starts. */
  readonly reasons: NonNullable<ManifestRun['reasons']>
  /** Version of this package. */
  readonly version: string
}

export type Pair = readonly [name: string, value: string]

export interface ReportFile {
  /** Writes the page, also when it is closed. Resolves with the reason if the system does not let it. */
  readonly write: (facts: ReportFacts) => Promise<string | undefined>
  /** Stops recording. */
  readonly close: () => void
}

// constructors

/** Records a run from now on. */
export const reportTo =
  (path: string) =>
  (run: Pick<MonitoredRun, 'client' | 'timer'>, monitor: ProgressMonitor): ReportFile => {
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

export const reportPage = (facts: ReportFacts, recording: Recording): string =>
  page({
    title: `${facts.title}: ${facts.isComplete ? 'complete' : 'incomplete'}`,
    content: html`${heading(facts, recording)}
${section('charts', 'Over time', [
  ofLastStart(facts),
  ...charts(recording).map((chart) => svgChart(chart, recording.intervals)),
])}
${incidentsTable(facts, recording.incidents)}
${queryTable(facts)}
${totalsTable(facts)}
${reasonsTable(facts)}
${filesTable(facts)}
${section('numbers', 'The numbers behind the charts', table(recording.intervals))}`,
    footer: `Made by payments-rx ${facts.version}. Times of charts are since the beginning of the run. This page loads nothing from anywhere.`,
  })

const heading = (facts: ReportFacts, { stall }: Recording): Html => {
  const { title, began, ended, ms, starts, isComplete, verdict, summary, reason, counts } = facts
  const took = starts > 1 ? `${starts} starts took ${duration(ms)}` : `took ${duration(ms)}`
  return html`<header>
<h1 class="outcome ${isComplete ? 'good' : 'bad'}">${verdict}</h1>
<p>${title}</p>
<p class="faint">Began ${time(began)}, ended ${time(ended)}, ${took}</p>
<p>${summary}</p>
${reason && html`<p class="outcome bad">${reason}</p>`}
${stall && html`<p>${stallSentence(stall, starts)}</p>`}
<dl class="numbers">${counts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>`
}

const stallSentence = (
  { share, because }: NonNullable<Recording['stall']>,
  starts: number,
): string => `${percent(share)} of the time${starts > 1 ? ' of the last start' : ''}: ${because}`

/** Charts are not kept between starts. */
const ofLastStart = ({ starts }: ReportFacts): Html | undefined =>
  starts > 1 ? html`<p class="faint">Of the last of ${starts} starts.</p>` : undefined

const totalsTable = ({ totals }: ReportFacts): Html | undefined => {
  if (totals.length === 0) return undefined
  const rows = totals.map(({ status, currency, rows, amount, others }) => {
    const name = others === true ? 'others' : (status ?? '')
    return html`<tr><th scope="row"><bdi>${name}</bdi></th><td><bdi>${currency}</bdi></td><td class="n">${number(rows)}</td><td class="n">${amount && grouped(amount)}</td></tr>
`
  })
  const all = html`<table>
<caption>Of the rows in the files, exact to the last digit.</caption>
<thead><tr><th scope="col">Status</th><th scope="col">Currency</th><th scope="col" class="n">Rows</th><th scope="col" class="n">Sum of amounts</th></tr></thead>
<tbody>${rows}</tbody></table>`
  const folded = html`<details><summary>Show ${plural(totals.length, 'sum')}</summary>
${scrollable('totals', all)}</details>`
  return section('totals', 'Rows and sums', folded)
}

/** Groups the digits of decimal text by thousands. */
const grouped = (amount: string): string => amount.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')

const reasonsTable = ({ reasons }: ReportFacts): Html | undefined => {
  if (reasons.length === 0) return undefined
  const rows = reasons
    .toSorted((a, b) => b.rows - a.rows)
    .map(
      ({ reason, rows }) =>
        html`<tr><td class="long"><bdi>${reason}</bdi></td><td class="n">${number(rows)}</td></tr>`,
    )
  return section(
    'rejected',
    'Why rows were rejected',
    scrollable(
      'rejected',
      html`<table>
<thead><tr><th scope="col">Reason</th><th scope="col" class="n">Rows</th></tr></thead>
<tbody>${rows}</tbody></table>`,
    ),
  )
}

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

const filesTable = ({ files }: ReportFacts): Html | undefined => {
  if (files === undefined) return undefined
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

const incidentsTable = (facts: ReportFacts, { kinds, others }: Incidents): Html => {
  const rows = Array.from(
    kinds.values(),
    ({ text: what, count, first, last }) =>
      html`<tr><td class="long"><bdi>${what}</bdi></td><td class="n">${number(count)}</td><td class="n">${clockTime(first)}</td><td class="n">${clockTime(last)}</td></tr>`,
  )
  const all = html`<table>
<thead><tr><th scope="col">What</th><th scope="col" class="n">How often</th><th scope="col" class="n">First</th><th scope="col" class="n">Last</th></tr></thead>
<tbody>${rows}</tbody></table>${others > 0 ? html`<p>And ${plural(others, 'other')}.</p>` : undefined}`
  const none = html`<p>Nothing: every request was answered, and none was refused.</p>`
  return section('incidents', 'What did not go as it should', [
    ofLastStart(facts),
    rows.length === 0 ? none : scrollable('incidents', all),
  ])
}
