/** Formats numbers, shares and times for readers. */

// units of time, in ms

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

// numbers

/** Formats a number: `1,234`. */
export const number = (n: number): string => Math.round(n).toLocaleString('en-US')

/** Formats a count: `1 row`, `2 rows`. */
export const plural = (n: number, one: string): string => `${number(n)} ${one}${n === 1 ? '' : 's'}`

/** Formats a share: `46 %`. Returns 100 only for everything, and 0 only for nothing. */
export const percent = (share: number): string => {
  const whole = Math.round(share * 100)
  if (share < 1 && whole >= 100) return '99 %'
  return share > 0 && whole === 0 ? '< 1 %' : `${whole} %`
}

// times

/** Formats a duration: `3.1 s`, `2 min 10 s`, `1 h 05 min`. */
export const duration = (ms: number): string => {
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${two(seconds % 60)} s`
    : `${number(Math.floor(minutes / 60))} h ${two(minutes % 60)} min`
}

/** Formats a duration rounded up in coarse steps, so that the text does not flicker: 5 s, then 10 s, then whole minutes. */
export const roundedDuration = (ms: number): string => {
  const step = ms < 60_000 ? 5_000 : ms < 600_000 ? 10_000 : 60_000
  const rounded = Math.max(step, Math.ceil(ms / step) * step)
  if (rounded < 60_000) return `${rounded / 1_000} s`
  return rounded < 600_000 ? duration(rounded) : duration(rounded).replace(/ 00 s$/, '')
}

/** Formats a size: `412 B`, `8.1 MB`. */
export const bytes = (n: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = n < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(n) / 3))
  return `${(n / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

const two = (n: number): string => String(n).padStart(2, '0')

/** Truncates a text to `columns` characters. */
export const truncate = (text: string, columns: number): string =>
  text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`

/**
 * Wraps a line between words to fit `columns`. A longer word is kept whole. Continuation lines are indented to the text of the
 * line, which may follow up to two table columns.
 */
export const wrapped = (line: string, columns: number): string => {
  if (line.length <= columns) return line
  const [lead = ''] = /^ *(?:\S+(?: \S+)* {2,}){0,2}/.exec(line) ?? []
  const indent = lead.length <= columns / 2 ? lead.length : 2
  const lines: Array<string> = []
  let start = line.slice(0, indent)
  for (const word of line.slice(indent).split(/(?<=\S)(?= )/)) {
    if (start.trimEnd() !== '' && start.length + word.length > columns) {
      lines.push(start)
      start = ' '.repeat(indent) + word.trimStart()
    } else start += word
  }
  return [...lines, start].join('\n')
}

/** Quotes a word for a shell if that is necessary. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
