/** Takes what a function has thrown, or its promise was rejected with. */
export type OnFailure = (error: unknown) => void

/** Tells the first failure of a function of the caller's on stderr, as `show` has it; later ones are dropped. */
export const warnOnce = (what: string, show: (text: string) => string = inOneLine): OnFailure => {
  let isTold = false
  return (error) => {
    if (isTold) return
    isTold = true
    try {
      const why = error instanceof Error ? `${error.name}: ${error.message}` : typeof error
      // biome-ignore lint/suspicious/noConsole: what fails may be the log itself
      console.warn(`payments-rx: ${what} failed; this is told once: ${show(why)}`)
    } catch {} // neither has a console that fails
  }
}

const inOneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
