/** A sample as a person wants it: what fits on the terminal, the most telling first. */
import { styleText } from 'node:util'
import { oneLine } from '../../http/oneLine.js'
import { duration, number, percent, plural, roundedDuration, truncate } from '../text.js'
import type { ProgressSample } from './ProgressSample.js'
import { describeStall } from './StallReason.js'

// model

export interface Screen {
  readonly columns: number
  readonly colours: boolean
}

/** A part of a line; those of the lowest priority give way first. */
interface Part {
  readonly text: string
  readonly priority: number
}

const GAP = '  '
/** How wide the bar is, in columns. */
const BAR = 20
/** In fewer columns there is no bar. */
const NARROW = 60

// constructors

/** One line; a second one says what it waits for. */
export const progressLines = ({ columns, colours }: Screen, sample: ProgressSample): string => {
  const wide = Math.max(1, columns - 1) // the last column makes some terminals wrap
  const first = fitToWidth(parts(sample, wide), wide)
  const wait = sample.stallReasons[0]
  if (wait === undefined) return first
  const why = truncate(oneLine(describeStall(wait)), wide)
  return `${first}\n${colours ? styleText(COLOURS[wait._tag], why, { validateStream: false }) : why}`
}

/** One line for a log, where nothing can be drawn over. */
export const progressLogLine = (sample: ProgressSample): string => {
  const wait = sample.stallReasons[0]
  const why = wait === undefined ? [] : [oneLine(describeStall(wait))]
  return [...parts(sample, 0).map(({ text }) => text), ...why].join(', ')
}

const COLOURS = {
  Fault: 'red',
  Refused: 'yellow',
  Silence: 'yellow',
  Lowered: 'yellow',
  Limit: 'dim',
} as const

const parts = (sample: ProgressSample, columns: number): ReadonlyArray<Part> => {
  const { counters, elapsedMs: ms, msLeft, quota } = sample
  const { share } = counters.estimate
  return [
    ...(share === undefined || columns < NARROW ? [] : [{ text: bar(share), priority: 1 }]),
    ...(share === undefined ? [] : [{ text: percent(share), priority: 9 }]),
    { text: plural(counters.rows, 'row'), priority: 10 },
    { text: `${number(sample.rowsPerSecond)} rows/s`, priority: 7 },
    ...(quota === undefined ? [] : [{ text: `${percent(quota)} of the quota`, priority: 4 }]),
    { text: `${number(counters.refused)} refused`, priority: counters.refused > 0 ? 6 : 2 },
    ...(counters.failed > 0 ? [{ text: `${number(counters.failed)} failed`, priority: 5 }] : []),
    ...(counters.rejects > 0
      ? [{ text: `${number(counters.rejects)} rejected`, priority: 8 }]
      : []),
    { text: duration(ms), priority: 3 },
    ...(msLeft === undefined
      ? []
      : [{ text: `about ${roundedDuration(msLeft)} left`, priority: 8 }]),
  ]
}

const bar = (share: number): string => {
  const full = Math.floor(share * BAR)
  return '█'.repeat(full) + '░'.repeat(BAR - full)
}

const fitToWidth = (all: ReadonlyArray<Part>, columns: number): string => {
  const text = all.map(({ text }) => text).join(GAP)
  if (text.length <= columns || all.length <= 1) return truncate(text, columns)
  const least = Math.min(...all.map(({ priority }) => priority))
  return fitToWidth(
    all.toSpliced(
      all.findIndex(({ priority }) => priority === least),
      1,
    ),
    columns,
  )
}
