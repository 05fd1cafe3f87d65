/** Takes what a function has thrown, or its promise was rejected with. */
export type OnFailure = (error: unknown) => void

/** Prints the first failure of a caller's function on stderr, as `show` has it; later ones are dropped. */
export const warnOnce = (source: string, show: (text: string) => string = inOneLine): OnFailure => {
  let isWarned = false
  return (error) => {
    if (isWarned) return
    isWarned = true
    try {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : typeof error
      // biome-ignore lint/suspicious/noConsole: what fails may be the log itself
      console.warn(`payments-rx: ${source} failed; this is reported once: ${show(reason)}`)
    } catch {} // neither has a console that fails
  }
}

const inOneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
