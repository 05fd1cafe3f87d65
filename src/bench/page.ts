/** Results as one page: a pure function from facts to HTML, for a run and for a tour of many. */
import { type Html, html, scrollable, section } from '../report/html.js'
import { page } from '../report/page.js'
import { type Chart, type Span, svgChart, ticks } from '../report/svgChart.js'
import { bytes, number, percent, plural } from '../report/text.js'
import type { BenchResult, Percentiles } from './BenchResult.js'
import type { Change } from './compare.js'

// model

/** A page of measurements. */
export interface BenchPage {
  readonly title: string
  /** Where and when. */
  readonly about: string
  /** The outcome, in a sentence. */
  readonly verdict: string
  /** Shown at the top: names and values. */
  readonly numbers: ReadonlyArray<readonly [name: string, value: string]>
  readonly sections: ReadonlyArray<PageSection>
  /** Such as the version of the package. */
  readonly footer: string
}

/** A heading, and what stands under it; `text` is a paragraph. */
export interface PageSection {
  readonly title: string
  readonly text?: string
  /** Named values, side by side: longer is more. */
  readonly bars?: ReadonlyArray<Bar>
  readonly table?: {
    readonly head: ReadonlyArray<string>
    readonly rows: ReadonlyArray<ReadonlyArray<string>>
  }
  /** A value for each second of a run, against a limit. */
  readonly overTime?: {
    readonly unit: string
    readonly values: ReadonlyArray<number>
    readonly limit?: number
  }
  /** How often times were in each bin, in ms. */
  readonly histogram?: ReadonlyArray<{ readonly from: number; readonly count: number }>
}

/** A named value. */
export interface Bar {
  readonly name: string
  /** Length of the bar; none is drawn for 0. */
  readonly value: number
  /** The value in words. */
  readonly text: string
  /** True for what the page is about. */
  readonly isOwn?: boolean
}

// pages

/** Returns the text of an HTML file that loads nothing: light and dark, narrow, and without a script. */
export const benchPage = ({
  title,
  about,
  verdict,
  numbers,
  sections,
  footer,
}: BenchPage): string =>
  page({
    title,
    content: html`<header>
<h1>${title}</h1>
<p class="faint">${about}</p>
<p class="outcome good">${verdict}</p>
<dl class="numbers">${numbers.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
${sections.map((one, i) => section(`part-${i}`, one.title, content(one, `part-${i}`)))}`,
    footer,
  })

const content = ({ text, bars, table, overTime, histogram }: PageSection, id: string): Html =>
  html`${text && html`<p>${text}</p>`}${bars && barsTable(bars)}${overTime && timeChart(overTime, id)}${histogram && timesChart(histogram, id)}${table && tableOf(table, id)}`

const barsTable = (bars: ReadonlyArray<Bar>): Html => {
  const longest = Math.max(1e-9, ...bars.map(({ value }) => value))
  return html`<table class="bars-table"><tbody>${bars.map(
    ({ name, value, text, isOwn = false }) =>
      html`<tr class="${isOwn ? 'own' : 'other'}"><th scope="row">${name}</th><td class="bar"><svg aria-hidden="true"><rect width="${((value / longest) * 100).toFixed(1)}%" height="100%" rx="2"/></svg></td><td class="n">${text}</td></tr>
`,
  )}</tbody></table>`
}

const tableOf = ({ head, rows }: Required<PageSection>['table'], id: string): Html =>
  scrollable(
    id,
    html`<table>
<thead><tr>${head.map((name, i) => html`<th scope="col" class="${i === 0 ? 'name' : 'n'}">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
      ([name = '', ...cells]) =>
        html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td class="n">${cell}</td>`)}</tr>
`,
    )}</tbody>
</table>`,
  )

interface Step extends Span {
  readonly value: number
}

const timeChart = (
  { unit, values, limit }: Required<PageSection>['overTime'],
  id: string,
): Html => {
  const steps = values.map((value, i): Step => ({ from: i * 1_000, to: (i + 1) * 1_000, value }))
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const most = Math.max(0, ...values)
  const chart: Chart<Step> = {
    id: `${id}-chart`,
    title: `${unit} a second`,
    summary: `${mean.toFixed(1)} a second on average, ${number(most)} at most in a second of this clock.`,
    format: number,
    lines: [{ name: unit.toLowerCase(), form: 'area', of: ({ value }) => value }],
    ...(limit === undefined
      ? {}
      : { limit: { name: `limit, ${number(limit)} a second`, value: limit } }),
  }
  return svgChart(chart, steps)
}

const timesChart = (bins: Required<PageSection>['histogram'], id: string): Html => {
  const width = (bins[1]?.from ?? 1) - (bins[0]?.from ?? 0)
  const steps = bins.map(({ from, count }): Step => ({ from, to: from + width, value: count }))
  const total = bins.reduce((sum, { count }) => sum + count, 0)
  const chart: Chart<Step> = {
    id: `${id}-chart`,
    title: 'Time of an answer',
    summary: `${plural(total, 'answer')} by the time they took, in ms.`,
    format: number,
    lines: [{ name: 'answers', form: 'bars', of: ({ value }) => value }],
    marks: {
      at: (end) => ticks(end).filter((value) => value <= end),
      format: (ms) => `${number(ms)} ms`,
    },
  }
  return svgChart(chart, steps)
}

// a run

/** Arranges the result of a run as a page. */
export const pageOfResult = (
  result: BenchResult,
  changes: ReadonlyArray<Change>,
  version: string,
): BenchPage => {
  const { workload, target, environment, began, ceiling, timeline, answers, machine } = result
  return {
    title: `payments-rx bench ${workload}`,
    about: `${target}, limits of ${environment}; ${began.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}; ${machine.cpu}, ${plural(machine.cores, 'core')}, Node ${machine.node}`,
    verdict: result.verdict.replaceAll('`', ''),
    numbers: figures(result),
    sections: [
      {
        title: 'Rate against the limit',
        overTime: {
          unit: 'Requests',
          values: timeline.slice(0, -1).map(({ requests }) => requests), // the last second is a part of one
          limit: ceiling.perSecond,
        },
      },
      { title: 'Answers', histogram: answers, table: timesTable(result) },
      ...(result.contenders.length === 0 ? [] : [contendersSection(result)]),
      ...(changes.length === 0 ? [] : [changesSection(changes)]),
    ],
    footer: `Made by payments-rx ${version}. This page loads nothing from anywhere.`,
  }
}

/** The figures of a run in words, the first ones first. */
export const figures = (result: BenchResult): ReadonlyArray<readonly [string, string]> => {
  const { ceiling, bestWidth, cpuSecondsPerMillionRows: cpu } = result
  const reached = bestWidth.share === null ? '' : `, ${percent(bestWidth.share)} of the quota`
  return [
    ['Rows a second', number(result.rowsPerSecond)],
    ['Requests a second', result.requestsPerSecond.toFixed(1)],
    [`Share of ${number(ceiling.perSecond)} requests a second`, percent(Math.min(1, result.share))],
    ['Refused (429)', number(result.refused)],
    ['Sent again', number(result.retries)],
    ['Failed', number(result.failed)],
    ['Requests at a time', number(result.width)],
    [
      'Best width',
      `${number(bestWidth.width)}, ${bestWidth.by === 'run' ? 'by a run' : 'computed'}${reached}`,
    ],
    ['CPU a million rows', cpu === null ? '' : `${cpu.toFixed(2)} s`],
    ['Peak memory', bytes(result.peakMemory)],
  ]
}

const timesTable = ({ answer, wait }: BenchResult) => ({
  head: ['', '50 %', '95 %', '99 %'],
  rows: [
    ['Answer', ...percentileTexts(answer)],
    ['Wait in the queue', ...percentileTexts(wait)],
  ],
})

/** Quantiles in words: `153 ms`. */
export const percentileTexts = ({ p50, p95, p99 }: Percentiles): ReadonlyArray<string> =>
  [p50, p95, p99].map((ms) => (ms === null ? '' : `${number(ms)} ms`))

const contendersSection = (result: BenchResult): PageSection => ({
  title: 'Beside it',
  text: 'Each alone against a sandbox of its own, counted where its requests arrive.',
  bars: [
    {
      name: 'payments-rx',
      value: result.rowsPerSecond,
      text: `${number(result.rowsPerSecond)} rows/s, ${number(result.refused)} refused`,
      isOwn: true,
    },
    ...result.contenders.map(({ name, rowsPerSecond, arrivals, leftOut }) => ({
      name,
      value: rowsPerSecond,
      text: leftOut ?? `${number(rowsPerSecond)} rows/s, ${number(arrivals.refused)} refused`,
    })),
  ],
})

const changesSection = (changes: ReadonlyArray<Change>): PageSection => ({
  title: 'Compared with the run before',
  text: 'A change within the spread of the parts of a run is none.',
  table: { head: ['', 'Before', 'Now', 'Change', 'Spread', 'That is'], rows: changeRows(changes) },
})

const CHANGED: Readonly<Record<Change['name'], string>> = {
  rowsPerSecond: 'Rows a second',
  requestsPerSecond: 'Requests a second',
  cpuSecondsPerMillionRows: 'CPU s a million rows',
}

/** Changes in words: name, before, after, change, noise, verdict. */
export const changeRows = (changes: ReadonlyArray<Change>): ReadonlyArray<ReadonlyArray<string>> =>
  changes.map(({ name, before, after, change, noise, verdict }) => [
    CHANGED[name],
    decimal(before),
    decimal(after),
    `${change < 0 ? '-' : '+'}${percent(Math.abs(change))}`,
    percent(noise),
    verdict === 'none' ? 'no change' : verdict,
  ])

const decimal = (n: number): string =>
  n.toLocaleString('en-US', { maximumFractionDigits: n < 100 ? 2 : 0 })
