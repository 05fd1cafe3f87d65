/**
 * A chart over the time of a run, as SVG in a figure. It needs no script, so it shows on paper and where scripts are
 * forbidden; it follows the page's colours, and shows its numbers where it is pointed at. Its lines are stretched with
 * the page, its texts are not.
 */
import { type Html, html } from './html.js'
import { DAY, HOUR, MINUTE, SECOND } from './text.js'

// model

/** Part of a run, in ms since its start. */
export interface ChartSpan {
  readonly from: number
  readonly to: number
}

/** Reads a number of an interval; `undefined` where there is nothing to measure. */
export type Measure<I extends ChartSpan> = (interval: I) => number | undefined

export interface Line<I extends ChartSpan> {
  readonly name: string
  /** How it is drawn: colour is not all that tells lines apart. */
  readonly form: 'area' | 'solid' | 'dashed' | 'dotted' | 'bars'
  readonly of: Measure<I>
}

export interface Chart<I extends ChartSpan> {
  readonly id: string
  readonly title: string
  /** The chart in words. */
  readonly summary: string
  readonly format: (value: number) => string
  readonly lines: ReadonlyArray<Line<I>>
  /** A horizontal line. */
  readonly limit?: { readonly name: string; readonly value: number }
  /** Marks below the chart. Default: times of a run. */
  readonly marks?: Marks
}

/** Where an axis has marks up to its end, and their texts. */
export interface Marks {
  readonly at: (end: number) => ReadonlyArray<number>
  readonly format: (value: number) => string
}

/** Size of the drawing, in units of its own. */
const WIDTH = 1_000
const HEIGHT = 100

interface Frame {
  readonly x: (ms: number) => number
  readonly y: (value: number) => number
}

// constructors

export const svgChart = <I extends ChartSpan>(
  { id, title, summary, format, lines, limit, marks: below = TIMES }: Chart<I>,
  intervals: ReadonlyArray<I>,
): Html => {
  const end = Math.max(1, intervals.at(-1)?.to ?? 1)
  const values = intervals.flatMap((interval) => lines.map(({ of }) => of(interval) ?? 0))
  const marks = ticks(Math.max(...values, (limit?.value ?? 0) * 1.05, 0))
  const top = marks.at(-1) ?? 1
  const frame: Frame = {
    x: (ms) => round((ms / end) * WIDTH),
    y: (value) => round(HEIGHT - (value / top) * HEIGHT),
  }
  return html`<figure id="${id}">
<figcaption><h3 id="${id}-title">${title}</h3>${legend(lines, limit?.name)}</figcaption>
<svg class="chart" role="img" aria-labelledby="${id}-title ${id}-summary">
${marks.map((value) => valueMark(frame.y(value), format(value)))}
${below.at(end).map((value) => timeMark(frame.x(value), below.format(value)))}
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" width="100%" height="100%">
${lines.map((line, i) => html`<path class="line ${line.form} colour-${i}" d="${path(line, intervals, frame)}"/>`)}
${limit && html`<path class="limit" d="M0 ${frame.y(limit.value)}H${WIDTH}"/>`}
${intervals.map((interval) => hoverColumn(interval, lines, frame, format, below))}
</svg>
</svg>
<p id="${id}-summary" class="summary">${summary}</p>
</figure>`
}

const round = (n: number): number => Math.round(n * 100) / 100

const valueMark = (y: number, text: string): Html =>
  html`<line class="grid" x1="0" x2="100%" y1="${y}%" y2="${y}%"/><text class="value" x="0" y="${y}%">${text}</text>`

const timeMark = (x: number, text: string): Html =>
  html`<text class="moment" x="${round(x / 10)}%" y="100%">${text}</text>`

/** Draws steps, since each number is of an interval and not of a moment; a gap where there is none. */
const path = <I extends ChartSpan>(
  { form, of }: Line<I>,
  intervals: ReadonlyArray<I>,
  { x, y }: Frame,
): string => {
  let open = false
  return intervals
    .map((interval) => {
      const value = of(interval)
      if (value === undefined || (form === 'bars' && value === 0)) {
        open = false
        return ''
      }
      const [from, to, height] = [x(interval.from), x(interval.to), y(value)]
      if (form === 'area' || form === 'bars') {
        return `M${from} ${HEIGHT}V${height}H${to}V${HEIGHT}Z`
      }
      const step = `${open ? `V${height}` : `M${from} ${height}`}H${to}`
      open = true
      return step
    })
    .join('')
}

const hoverColumn = <I extends ChartSpan>(
  interval: I,
  lines: ReadonlyArray<Line<I>>,
  { x }: Frame,
  format: Chart<I>['format'],
  below: Marks,
): Html => {
  const { from, to } = interval
  const values = lines.map(({ name, of }) => {
    const value = of(interval)
    return value === undefined ? '' : `, ${name} ${format(value)}`
  })
  const text = `${below.format(from)} to ${below.format(to)}${values.join('')}`
  return html`<rect class="column" x="${x(from)}" y="0" width="${round(x(to) - x(from))}" height="${HEIGHT}"><title>${text}</title></rect>`
}

const legend = <I extends ChartSpan>(
  lines: ReadonlyArray<Line<I>>,
  limit: string | undefined,
): Html =>
  html`<ul class="legend">${lines.map(({ name, form }, i) => html`<li>${swatch(`line ${form} colour-${i}`, form)} ${name}</li>`)}${limit && html`<li>${swatch('limit', 'solid')} ${limit}</li>`}</ul>`

const swatch = (kind: string, form: Line<ChartSpan>['form']): Html =>
  html`<svg class="swatch" viewBox="0 0 24 10" width="24" height="10" aria-hidden="true"><path class="${kind}" d="${form === 'area' || form === 'bars' ? 'M0 1H24V9H0Z' : 'M0 5H24'}"/></svg>`

// scales

/** Returns whole numbers from 0 to at least `max`, at most `steps` steps of 1, 2 or 5 times a power of ten. */
export const ticks = (max: number, steps = 5): ReadonlyArray<number> => {
  const least = Math.max(1, max / steps)
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least) ?? least
  const count = Math.max(1, Math.ceil(max / step))
  return Array.from({ length: count + 1 }, (_, i) => i * step)
}

const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100].map((n) => n * DAY),
]

/** Returns round times from 0 to at most `ms`, in at most `steps` steps. */
export const timeTicks = (ms: number, steps = 6): ReadonlyArray<number> => {
  const step = TIME_STEPS.find((n) => ms / n <= steps) ?? ms
  return Array.from({ length: Math.floor(ms / step) + 1 }, (_, i) => i * step)
}

/** Formats a time since the start: `0:05`, `12:30`, `1:05:00`. */
export const clockTime = (ms: number): string => {
  const seconds = Math.floor(ms / SECOND)
  const two = (n: number): string => String(n).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`
}

const TIMES: Marks = { at: timeTicks, format: clockTime }
