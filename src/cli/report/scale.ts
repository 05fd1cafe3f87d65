/** Where the lines of a chart stand. */
import { DAY, HOUR, MINUTE, SECOND } from '../spans.js'

/** From 0 to at least `max`, in so many steps or less, of 1, 2 or 5 times a power of ten: whole numbers. */
export const ticks = (max: number, steps = 5): ReadonlyArray<number> => {
  const least = Math.max(1, max / steps)
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least) ?? least
  const count = Math.max(1, Math.ceil(max / step))
  return Array.from({ length: count + 1 }, (_, i) => i * step)
}

/** How far apart times may stand. */
const TIMES = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100].map((n) => n * DAY),
]

/** Round times from 0 to no more than `ms`, at most `steps` apart from 0. */
export const timeTicks = (ms: number, steps = 6): ReadonlyArray<number> => {
  const step = TIMES.find((n) => ms / n <= steps) ?? ms
  return Array.from({ length: Math.floor(ms / step) + 1 }, (_, i) => i * step)
}

/** `0:05`, `12:30`, `1:05:00` since the start. */
export const clockTime = (ms: number): string => {
  const seconds = Math.floor(ms / SECOND)
  const two = (n: number): string => String(n).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`
}
