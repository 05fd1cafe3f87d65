/**
 * One limiter at one moment: requests on their way to the server and back, and what was in the server's window until then.
 *
 *     client | o   o  o        x       | server        on their way: to it above, back below
 *     window ▁▃▆██▇█▇██|........................       accepted in the last second, over time
 *     refused       | |                                a mark for each
 */
import type { Attempt } from '../../bench/simulated/simulation.ts'

export interface Colors {
  readonly text: string
  readonly line: string
  readonly going: string
  readonly accepted: string
  readonly refused: string
  readonly fill: string
}

export interface Frame {
  readonly attempts: ReadonlyArray<Attempt>
  /** In ms. */
  readonly now: number
  /** The end of the time line, in ms. */
  readonly end: number
  /** Requests per second that the server lets in. */
  readonly limit: number
  /** The highest level of the window of any limiter. */
  readonly highest: number
}

const WINDOW = 1_000
const LANES = 11
/** Opacity of the area of the window. */
const FAINT = 0.4
const MARGIN = 10
const RADIUS = 3.5
/** A refusal stays at the server so long, in ms, to be seen. */
const LINGER = 400

/** Arrivals that were accepted in the window before `now`. */
export const inWindow = (attempts: ReadonlyArray<Attempt>, now: number): number =>
  attempts.filter(({ ok, arrived }) => ok && arrived <= now && now - arrived < WINDOW).length

/** Points of the level of the window, one for each arrival and each departure from it. */
export const levels = (
  attempts: ReadonlyArray<Attempt>,
): ReadonlyArray<readonly [at: number, level: number]> => {
  const arrivals = attempts
    .filter(({ ok }) => ok)
    .map(({ arrived }) => arrived)
    .toSorted((a, b) => a - b)
  const changes = [
    ...arrivals.map((at) => [at, 1] as const),
    ...arrivals.map((at) => [at + WINDOW, -1] as const),
  ].toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
  let level = 0
  return changes.map(([at, by]) => {
    level += by
    return [at, level] as const
  })
}

const part = (now: number, from: number, to: number): number =>
  to <= from ? 1 : (now - from) / (to - from)

const dot = (context: CanvasRenderingContext2D, x: number, y: number, color: string): void => {
  context.fillStyle = color
  context.beginPath()
  context.arc(x, y, RADIUS, 0, 2 * Math.PI)
  context.fill()
}

/** A cross: a refusal is told by its shape, not by its color alone. */
const cross = (context: CanvasRenderingContext2D, x: number, y: number, color: string): void => {
  context.strokeStyle = color
  context.lineWidth = 2
  context.beginPath()
  context.moveTo(x - 4, y - 4)
  context.lineTo(x + 4, y + 4)
  context.moveTo(x + 4, y - 4)
  context.lineTo(x - 4, y + 4)
  context.stroke()
}

const drawFlights = (
  context: CanvasRenderingContext2D,
  { attempts, now }: Frame,
  colors: Colors,
  width: number,
  height: number,
): void => {
  const left = MARGIN
  const right = width - MARGIN
  context.strokeStyle = colors.line
  context.lineWidth = 2
  for (const x of [left, right]) {
    context.beginPath()
    context.moveTo(x, 2)
    context.lineTo(x, height - 2)
    context.stroke()
  }
  const half = height / 2
  attempts.forEach(({ request, departed, arrived, answered, ok }) => {
    if (now < departed || now > Math.max(answered, ok ? 0 : arrived + LINGER)) return
    const lane = 6 + ((request % LANES) / (LANES - 1)) * (half - 14)
    if (now < arrived) {
      dot(context, left + part(now, departed, arrived) * (right - left), lane, colors.going)
      return
    }
    const x = right - part(now, arrived, answered) * (right - left)
    if (ok) dot(context, x, half + 4 + lane, colors.accepted)
    else {
      if (now <= answered) cross(context, x, half + 4 + lane, colors.refused)
      if (now <= arrived + LINGER) cross(context, right, lane, colors.refused)
    }
  })
}

const drawWindow = (
  context: CanvasRenderingContext2D,
  { attempts, now, end, limit, highest }: Frame,
  colors: Colors,
  box: { readonly top: number; readonly width: number; readonly height: number },
): void => {
  const { top, width, height } = box
  const bottom = top + height - 8
  const scale = (bottom - top - 4) / Math.max(1, highest, limit)
  const xOf = (at: number): number => MARGIN + (at / end) * (width - 2 * MARGIN)
  const yOf = (level: number): number => bottom - level * scale

  context.fillStyle = colors.fill
  context.beginPath()
  context.moveTo(xOf(0), bottom)
  let last = 0
  for (const [at, level] of levels(attempts)) {
    if (at > now) break
    context.lineTo(xOf(at), yOf(last))
    context.lineTo(xOf(at), yOf(level))
    last = level
  }
  context.lineTo(xOf(Math.min(now, end)), yOf(last))
  context.lineTo(xOf(Math.min(now, end)), bottom)
  context.closePath()
  context.globalAlpha = FAINT
  context.fill()
  context.globalAlpha = 1

  context.strokeStyle = colors.text
  context.lineWidth = 1
  context.setLineDash([4, 3])
  context.beginPath()
  context.moveTo(MARGIN, yOf(limit))
  context.lineTo(width - MARGIN, yOf(limit))
  context.stroke()
  context.setLineDash([])

  context.strokeStyle = colors.refused
  context.beginPath()
  for (const { ok, arrived } of attempts) {
    if (ok || arrived > now) continue
    context.moveTo(xOf(arrived), bottom + 1)
    context.lineTo(xOf(arrived), bottom + 8)
  }
  context.stroke()
}

/** Draws a frame over the whole canvas. */
export const draw = (canvas: HTMLCanvasElement, frame: Frame, colors: Colors): void => {
  const context = canvas.getContext('2d')
  if (context === null) return
  const ratio = globalThis.devicePixelRatio || 1
  const { clientWidth: width, clientHeight: height } = canvas
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio
    canvas.height = height * ratio
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  const flights = Math.round(height * 0.55)
  drawFlights(context, frame, colors, width, flights)
  drawWindow(context, frame, colors, { top: flights + 8, width, height: height - flights - 8 })
}
