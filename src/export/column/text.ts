/** Texts as other programs can read them: without half surrogate pairs, and without formulas. */

/** Counts what was found in the texts of an export. */
export interface TextFindings {
  /** Halves of surrogate pairs, each written as U+FFFD. */
  loneSurrogates: number
  /** CSV: texts that a spreadsheet would run as formulas. */
  formulas: number
}

export const noFindings = (): TextFindings => ({ loneSurrogates: 0, formulas: 0 })

// surrogates: UTF-8 has no half of a pair, and strict readers of JSON refuse a whole file for its escape

/** Replaces each lone surrogate of a text by U+FFFD. */
export const wellFormed = (text: string, findings: TextFindings): string =>
  text.isWellFormed()
    ? text
    : text.replaceAll(/\p{Surrogate}/gu, () => {
        findings.loneSurrogates++
        return '\ufffd'
      })

/** An escape in JSON: two that make a pair, one of a lone surrogate, or any other. */
const ESCAPE = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(ud[89a-f][\da-f]{2})|.)/gi

const replaceEscapes = (json: string, findings: TextFindings): string =>
  json.replaceAll(ESCAPE, (all, lone?: string) => {
    if (lone === undefined) return all
    findings.loneSurrogates++
    return '\ufffd'
  })

/** Replaces each escape of a lone surrogate by U+FFFD, in text that `JSON.stringify` made. */
export const wellFormedJson = (json: string, findings: TextFindings): string =>
  json.includes('\\ud') ? replaceEscapes(json, findings) : json

/** Replaces each escape of a lone surrogate by U+FFFD, in any JSON text of UTF-8. */
export const wellFormedBytes = (json: Uint8Array, findings: TextFindings): Uint8Array => {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length)
  if (!bytes.includes('\\ud') && !bytes.includes('\\uD')) return json
  const text = bytes.toString()
  const replaced = replaceEscapes(text, findings)
  return replaced === text ? json : Buffer.from(replaced)
}

// formulas: CSV injection, see OWASP

/** First characters that make a cell a formula; the wide forms and characters that some programs skip count, too. */
const FORMULA = /^[=+\-@\t\r\n\0\uFF1D\uFF0B\uFF0D\uFF20]/

export const isFormula = (text: string): boolean => FORMULA.test(text)
