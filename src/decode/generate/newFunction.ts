/** Functions made of text. */

/** Returns true if the platform allows code generation, by trying. */
export const mayGenerate = (): boolean => {
  try {
    return typeof new Function('') === 'function'
  } catch {
    return false
  }
}

/** Makes a strict function of these parameters. Throws where the platform forbids code generation. */
export const newFunction = <F extends (...params: never) => unknown>(
  params: ReadonlyArray<string>,
  body: string,
): F => new Function(...params, `"use strict"; ${body}`) as F // the caller writes the text to this type
