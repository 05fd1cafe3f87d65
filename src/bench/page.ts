/** The result of a run as a page that loads nothing: a pure function from facts to HTML. */
import { type Html, html, scrollable, section } from '../report/html.js'
import { page } from '../report/page.js'
import { type ChartSpan, svgChart, ticks } from '../report/svgChart.js'
import { number, plural } from '../report/text.js'
import type { BenchResult } from './BenchResult.js'
import type { BenchChange } from './compare.js'
import { changeRows, figures, timeRows } from './text.js'

type PageRow = ReadonlyArray<string>

/** Returns the text of an HTML file: light and dark, narrow, and without a script. */
export const benchPage = (
  result: BenchResult,
  changes: ReadonlyArray<BenchChange>,
  version: string,
): string => {
  const { workload, target, environment, began, machine, verdict, contenders } = result
  const subject = `${target}, limits of ${environment}; ${began.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}; ${machine.cpu}, ${plural(machine.cores, 'core')}, Node ${machine.node}`
  return page({
    title: `payments-rx bench ${workload}`,
    content: html`<header>
<h1>payments-rx bench ${workload}</h1>
<p class="faint">${subject}</p>
<p class="outcome ${result.boundBy === 'quota' ? 'good' : 'plain'}">${verdict.replaceAll('`', '')}</p>
<dl class="numbers">${figures(result).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
${section('rate', 'Rate against the limit', rateChart(result))}
${section('answers', 'Answers', [timesChart(result), table('answers', timeRows(result))])}
${contenders.length > 0 && section('contenders', 'Beside it', bars(result))}
${changes.length > 0 && section('changes', 'Compared with the run before', table('changes', changeRows(changes)))}`,
    footer: `Made by payments-rx ${version}. This page loads nothing from anywhere.`,
  })
}

interface RateStep extends ChartSpan {
  readonly value: number
}

const rateChart = ({ timeline, ceiling }: BenchResult): Html => {
  const whole = timeline.slice(0, -1) // the last second is a part of one
  const steps = whole.map(({ requests }, i): RateStep => {
    return { from: i * 1_000, to: (i + 1) * 1_000, value: requests }
  })
  const values = steps.map(({ value }) => value)
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  return svgChart(
    {
      id: 'rate-chart',
      title: 'Requests a second',
      summary: `${mean.toFixed(1)} a second on average, ${number(Math.max(0, ...values))} at most in a second of this clock.`,
      format: number,
      lines: [{ name: 'requests', form: 'area', of: ({ value }) => value }],
      limit: { name: `limit, ${number(ceiling.perSecond)} a second`, value: ceiling.perSecond },
    },
    steps,
  )
}

const timesChart = ({ answers }: BenchResult): Html => {
  const width = (answers[1]?.from ?? 1) - (answers[0]?.from ?? 0)
  const steps = answers.map(
    ({ from, count }): RateStep => ({ from, to: from + width, value: count }),
  )
  const total = answers.reduce((sum, { count }) => sum + count, 0)
  return svgChart(
    {
      id: 'times-chart',
      title: 'Time of an answer',
      summary: `${plural(total, 'answer')} by the time they took, in ms.`,
      format: number,
      lines: [{ name: 'answers', form: 'bars', of: ({ value }) => value }],
      marks: {
        at: (end) => ticks(end).filter((ms) => ms <= end),
        format: (ms) => `${number(ms)} ms`,
      },
    },
    steps,
  )
}

const table = (id: string, [head = [], ...rows]: ReadonlyArray<PageRow>): Html =>
  scrollable(
    id,
    html`<table>
<thead><tr>${head.map((name) => html`<th scope="col" class="n">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
      ([name = '', ...cells]) =>
        html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td class="n">${cell}</td>`)}</tr>
`,
    )}</tbody>
</table>`,
  )

const bars = ({ rowsPerSecond, refused, contenders }: BenchResult): Html => {
  const ours = { name: 'payments-rx', rowsPerSecond, refused, leftOut: undefined }
  const others = contenders.map(({ arrivals, ...one }) => ({
    leftOut: undefined,
    ...one,
    ...arrivals,
  }))
  const longest = Math.max(1e-9, ...[ours, ...others].map(({ rowsPerSecond }) => rowsPerSecond))
  const rows = [ours, ...others].map(({ name, rowsPerSecond, refused, leftOut }, i) => {
    const text = leftOut ?? `${number(rowsPerSecond)} rows/s, ${number(refused)} refused`
    const width = ((rowsPerSecond / longest) * 100).toFixed(1)
    return html`<tr class="${i === 0 ? 'own' : 'other'}"><th scope="row">${name}</th><td class="bar"><svg aria-hidden="true"><rect width="${width}%" height="100%" rx="2"/></svg></td><td class="n">${text}</td></tr>
`
  })
  return html`<p>Each alone against a sandbox of its own, counted where its requests arrive.</p>
<table class="bars-table"><tbody>${rows}</tbody></table>`
}
