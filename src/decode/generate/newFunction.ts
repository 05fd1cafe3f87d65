/** Creates functions from source text. */

/** Returns true if the runtime allows code generation. Finds out by trying. */
export const mayGenerate = (): boolean => {
  try {
    return typeof new Function('') === 'function'
  } catch {
    return false
  }
}

/** Creates a strict function with these parameters. Throws if the runtime forbids code generation. */
export const newFunction = <F extends (...params: never) => unknown>(
  params: ReadonlyArray<string>,
  body: string,
): F => new Function(...params, `"use strict"; ${body}`) as F // the caller writes the source text to match this type
