/**
 * A chart over the time of a run, as SVG in a figure. It needs no script: it shows on paper and where
 * scripts are forbidden, follows the page's colours, and tells its numbers where it is pointed at. Lines are
 * stretched with the page; texts are not.
 */
import { type Html, html } from './html.js'
import type { Measure } from './measures.js'
import { clockTime, ticks, timeTicks } from './scale.js'
import type { Interval } from './Timeline.js'

// model

export interface Line {
  readonly name: string
  /** How it is drawn, in this order of a chart: its colour is not all that tells it apart. */
  readonly form: 'area' | 'solid' | 'dashed' | 'dotted' | 'bars'
  readonly of: Measure
}

export interface Chart {
  readonly id: string
  readonly title: string
  /** What can be seen, in words. */
  readonly summary: string
  readonly show: (value: number) => string
  readonly lines: ReadonlyArray<Line>
  /** A line from left to right. */
  readonly limit?: { readonly name: string; readonly value: number }
}

/** Of the drawing, which is stretched with the page: units of its own. */
const WIDTH = 1_000
const HEIGHT = 100

interface Frame {
  readonly x: (ms: number) => number
  readonly y: (value: number) => number
}

// constructors

export const chart = (
  { id, title, summary, show, lines, limit }: Chart,
  intervals: ReadonlyArray<Interval>,
): Html => {
  const end = Math.max(1, intervals.at(-1)?.to ?? 1)
  const values = intervals.flatMap((one) => lines.map((line) => line.of(one) ?? 0))
  const marks = ticks(Math.max(...values, (limit?.value ?? 0) * 1.05, 0))
  const top = marks.at(-1) ?? 1
  const frame: Frame = {
    x: (ms) => round((ms / end) * WIDTH),
    y: (value) => round(HEIGHT - (value / top) * HEIGHT),
  }
  return html`<figure id="${id}">
<figcaption><h3 id="${id}-title">${title}</h3>${legend(lines, limit?.name)}</figcaption>
<svg class="chart" role="img" aria-labelledby="${id}-title ${id}-summary">
${marks.map((value) => valueTick(frame.y(value), show(value)))}
${timeTicks(end).map((ms) => timeTick(frame.x(ms), clockTime(ms)))}
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" width="100%" height="100%">
${lines.map((line, i) => html`<path class="line ${line.form} colour-${i}" d="${path(line, intervals, frame)}"/>`)}
${limit && html`<path class="limit" d="M0 ${frame.y(limit.value)}H${WIDTH}"/>`}
${intervals.map((one) => hoverColumn(one, lines, frame, show))}
</svg>
</svg>
<p id="${id}-summary" class="summary">${summary}</p>
</figure>`
}

const round = (n: number): number => Math.round(n * 100) / 100

const valueTick = (y: number, text: string): Html =>
  html`<line class="grid" x1="0" x2="100%" y1="${y}%" y2="${y}%"/><text class="value" x="0" y="${y}%">${text}</text>`

const timeTick = (x: number, text: string): Html =>
  html`<text class="moment" x="${round(x / 10)}%" y="100%">${text}</text>`

/** Steps, since each number is of a stretch and not of a moment; a gap where there is none. */
const path = ({ form, of }: Line, intervals: ReadonlyArray<Interval>, { x, y }: Frame): string => {
  let open = false
  return intervals
    .map((one) => {
      const value = of(one)
      if (value === undefined || (form === 'bars' && value === 0)) {
        open = false
        return ''
      }
      const [from, to, height] = [x(one.from), x(one.to), y(value)]
      if (form === 'area' || form === 'bars') {
        return `M${from} ${HEIGHT}V${height}H${to}V${HEIGHT}Z`
      }
      const step = `${open ? `V${height}` : `M${from} ${height}`}H${to}`
      open = true
      return step
    })
    .join('')
}

/** Where a chart is pointed at, it tells its numbers. */
const hoverColumn = (
  one: Interval,
  lines: ReadonlyArray<Line>,
  { x }: Frame,
  show: Chart['show'],
): Html => {
  const told = lines.map(({ name, of }) => {
    const value = of(one)
    return value === undefined ? '' : `, ${name} ${show(value)}`
  })
  const text = `${clockTime(one.from)} to ${clockTime(one.to)}${told.join('')}`
  return html`<rect class="column" x="${x(one.from)}" y="0" width="${round(x(one.to) - x(one.from))}" height="${HEIGHT}"><title>${text}</title></rect>`
}

const legend = (lines: ReadonlyArray<Line>, limit: string | undefined): Html =>
  html`<ul class="legend">${lines.map(({ name, form }, i) => html`<li>${swatch(`line ${form} colour-${i}`, form)} ${name}</li>`)}${limit && html`<li>${swatch('limit', 'solid')} ${limit}</li>`}</ul>`

const swatch = (kind: string, form: Line['form']): Html =>
  html`<svg class="swatch" viewBox="0 0 24 10" width="24" height="10" aria-hidden="true"><path class="${kind}" d="${form === 'area' || form === 'bars' ? 'M0 1H24V9H0Z' : 'M0 5H24'}"/></svg>`
