/** Receives the error of a function, or the rejection of its promise. */
export type OnFailure = (error: unknown) => void

/** Prints the first failure of a caller's function on stderr, formatted by `show`. Drops later failures. */
export const warnOnce = (source: string, show: (text: string) => string = inOneLine): OnFailure => {
  let isWarned = false
  return (error) => {
    if (isWarned) return
    isWarned = true
    try {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : typeof error
      // biome-ignore lint/suspicious/noConsole: the failing function may be the log itself
      console.warn(`payments-rx: ${source} failed (reported only once): ${show(reason)}`)
    } catch {} // the console may throw as well
  }
}

const inOneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
