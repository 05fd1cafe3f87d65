/**
 * A chart over the duration of a run, as SVG in a figure. It needs no script, so it works on paper and where scripts are
 * forbidden. It uses the colours of the page, and shows numbers on hover. The chart scales with the page, but its texts do not.
 */
import { type Html, html } from './html.js'
import { DAY, HOUR, MINUTE, number, SECOND } from './text.js'

/** A constant value over a part of the axis. */
export interface ChartStep {
  readonly from: number
  readonly to: number
  readonly value: number
}

export interface Chart {
  readonly id: string
  readonly title: string
  /** A description of the chart. */
  readonly summary: string
  /** The name of its values. */
  readonly name: string
  readonly form: 'area' | 'bars'
  /** A horizontal line. */
  readonly limit?: { readonly name: string; readonly value: number }
  /** Marks below the chart. Default: times of a run. */
  readonly marks?: Marks
}

/** The positions of the marks on an axis, and their texts. */
export interface Marks {
  readonly at: (end: number) => ReadonlyArray<number>
  readonly format: (value: number) => string
}

/** Size of the drawing, in SVG units. */
const WIDTH = 1_000
const HEIGHT = 100

export const svgChart = (
  { id, title, summary, name, form, limit, marks: below = TIMES }: Chart,
  steps: ReadonlyArray<ChartStep>,
): Html => {
  const end = Math.max(1, steps.at(-1)?.to ?? 1)
  const marks = ticks(Math.max(...steps.map(({ value }) => value), (limit?.value ?? 0) * 1.05, 0))
  const top = marks.at(-1) ?? 1
  const x = (ms: number): number => round((ms / end) * WIDTH)
  const y = (value: number): number => round(HEIGHT - (value / top) * HEIGHT)
  const path = steps
    .filter(({ value }) => form === 'area' || value > 0)
    .map(({ from, to, value }) => `M${x(from)} ${HEIGHT}V${y(value)}H${x(to)}V${HEIGHT}Z`)
    .join('')
  const column = ({ from, to, value }: ChartStep): Html =>
    html`<rect class="column" x="${x(from)}" y="0" width="${round(x(to) - x(from))}" height="${HEIGHT}"><title>${`${below.format(from)} to ${below.format(to)}, ${name} ${number(value)}`}</title></rect>`
  return html`<figure id="${id}">
<figcaption><h3 id="${id}-title">${title}</h3><ul class="legend"><li>${swatch(form, 'M0 1H24V9H0Z')} ${name}</li>${limit && html`<li>${swatch('limit', 'M0 5H24')} ${limit.name}</li>`}</ul></figcaption>
<svg class="chart" role="img" aria-labelledby="${id}-title ${id}-summary">
${marks.map((value) => valueMark(y(value), number(value)))}
${below.at(end).map((value) => timeMark(x(value), below.format(value)))}
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" width="100%" height="100%">
<path class="${form}" d="${path}"/>
${limit && html`<path class="limit" d="M0 ${y(limit.value)}H${WIDTH}"/>`}
${steps.map(column)}
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

const swatch = (kind: string, path: string): Html =>
  html`<svg class="swatch" viewBox="0 0 24 10" width="24" height="10" aria-hidden="true"><path class="${kind}" d="${path}"/></svg>`

// scales

/** Returns whole numbers from 0 to at least `max`, in at most `steps` steps of 1, 2 or 5 times a power of ten. */
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
