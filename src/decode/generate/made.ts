/** Functions made of text. */

/** Whether the platform lets code be made of text, by trying. */
export const mayGenerate = (): boolean => {
  try {
    return typeof new Function('') === 'function'
  } catch {
    return false
  }
}

/** A function of these parameters, strict. Throws where no code may be made of text. */
export const made = <F extends (...params: never) => unknown>(
  params: ReadonlyArray<string>,
  body: string,
): F => new Function(...params, `"use strict"; ${body}`) as F // who writes the text knows what it does
