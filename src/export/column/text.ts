/** Makes texts safe for other programs to read: without unpaired surrogates, and without formulas. */

/** Counts anomalies in the texts of an export. */
export interface TextFindings {
  /** Number of unpaired surrogates, each written as U+FFFD. */
  loneSurrogates: number
  /** CSV: number of texts that a spreadsheet would run as formulas. */
  formulas: number
}

export const noFindings = (): TextFindings => ({ loneSurrogates: 0, formulas: 0 })

// surrogates: UTF-8 cannot encode an unpaired one, and strict JSON readers reject a whole file if it has the escape of one

/** Replaces each unpaired surrogate of a text with U+FFFD. */
export const wellFormed = (text: string, findings: TextFindings): string =>
  text.isWellFormed()
    ? text
    : text.replaceAll(/\p{Surrogate}/gu, () => {
        findings.loneSurrogates++
        return '\ufffd'
      })

/** An escape in JSON: a surrogate pair, an unpaired surrogate, or any other. */
const ESCAPE = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(ud[89a-f][\da-f]{2})|.)/gi

const replaceEscapes = (json: string, findings: TextFindings): string =>
  json.replaceAll(ESCAPE, (all, lone?: string) => {
    if (lone === undefined) return all
    findings.loneSurrogates++
    return '\ufffd'
  })

/** Replaces each escaped unpaired surrogate with U+FFFD, in text from `JSON.stringify`. */
export const wellFormedJson = (json: string, findings: TextFindings): string =>
  json.includes('\\ud') ? replaceEscapes(json, findings) : json

/** Replaces each escaped unpaired surrogate with U+FFFD, in any UTF-8 JSON text. */
export const wellFormedBytes = (json: Uint8Array, findings: TextFindings): Uint8Array => {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length)
  if (!bytes.includes('\\ud') && !bytes.includes('\\uD')) return json
  const text = bytes.toString()
  const replaced = replaceEscapes(text, findings)
  return replaced === text ? json : Buffer.from(replaced)
}

// formulas: CSV injection, see OWASP

/** First characters that make a cell a formula, including full-width forms and characters that some programs skip. */
const FORMULA = /^[=+\-@\t\r\n\0\uFF1D\uFF0B\uFF0D\uFF20]/

export const isFormula = (text: string): boolean => FORMULA.test(text)
