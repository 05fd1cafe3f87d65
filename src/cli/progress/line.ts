/** A reading as a person wants it: what fits on the terminal, the most telling first. */
import { styleText } from 'node:util'
import { oneLine } from '../../http/oneLine.js'
import type { Reading } from './Reading.js'
import { inWords } from './Wait.js'
import { about, clipped, duration, number, percent, plural } from './words.js'

// model

export interface Look {
  readonly columns: number
  readonly colours: boolean
}

/** A part of a line; those of the lowest weight give way first. */
interface Part {
  readonly text: string
  readonly weight: number
}

const GAP = '  '
/** How wide the bar is, in columns. */
const BAR = 20
/** In fewer columns there is no bar. */
const NARROW = 60

// constructors

/** One line; a second one says what it waits for. */
export const lines = ({ columns, colours }: Look, reading: Reading): string => {
  const wide = Math.max(1, columns - 1) // the last column makes some terminals wrap
  const first = fitted(parts(reading, wide), wide)
  const wait = reading.waits[0]
  if (wait === undefined) return first
  const why = clipped(oneLine(inWords(wait)), wide)
  return `${first}\n${colours ? styleText(COLOURS[wait._tag], why, { validateStream: false }) : why}`
}

/** One line for a log, where nothing can be drawn over. */
export const logLine = (reading: Reading): string => {
  const wait = reading.waits[0]
  const why = wait === undefined ? [] : [oneLine(inWords(wait))]
  return [...parts(reading, 0).map(({ text }) => text), ...why].join(', ')
}

const COLOURS = {
  Fault: 'red',
  Refused: 'yellow',
  Silence: 'yellow',
  Lowered: 'yellow',
  Limit: 'dim',
} as const

const parts = (reading: Reading, columns: number): ReadonlyArray<Part> => {
  const { meter, ms, msLeft, quota } = reading
  const { share } = meter.coverage
  return [
    ...(share === undefined || columns < NARROW ? [] : [{ text: bar(share), weight: 1 }]),
    ...(share === undefined ? [] : [{ text: percent(share), weight: 9 }]),
    { text: plural(meter.rows, 'row'), weight: 10 },
    { text: `${number(reading.rowsPerSecond)} rows/s`, weight: 7 },
    ...(quota === undefined ? [] : [{ text: `${percent(quota)} of the quota`, weight: 4 }]),
    { text: `${number(meter.refused)} refused`, weight: meter.refused > 0 ? 6 : 2 },
    ...(meter.failed > 0 ? [{ text: `${number(meter.failed)} failed`, weight: 5 }] : []),
    ...(meter.rejects > 0 ? [{ text: `${number(meter.rejects)} rejected`, weight: 8 }] : []),
    { text: duration(ms), weight: 3 },
    ...(msLeft === undefined ? [] : [{ text: `about ${about(msLeft)} left`, weight: 8 }]),
  ]
}

const bar = (share: number): string => {
  const full = Math.floor(share * BAR)
  return '█'.repeat(full) + '░'.repeat(BAR - full)
}

const fitted = (all: ReadonlyArray<Part>, columns: number): string => {
  const text = all.map(({ text }) => text).join(GAP)
  if (text.length <= columns || all.length <= 1) return clipped(text, columns)
  const least = Math.min(...all.map(({ weight }) => weight))
  return fitted(
    all.toSpliced(
      all.findIndex(({ weight }) => weight === least),
      1,
    ),
    columns,
  )
}
