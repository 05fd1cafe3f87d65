/** Stacks of errors that are made after the function that asked for a value has returned. */

/** Where a function was called from. V8 makes a text of it only when it is read. */
export interface Caller {
  readonly stack?: string | undefined
}

/** Remembers where `callee` was called from. */
export const callerOf = (callee: (...args: never) => unknown): Caller => {
  if (typeof Error.captureStackTrace !== 'function') return new Error()
  const caller: Caller = {}
  Error.captureStackTrace(caller, callee)
  return caller
}

/** Puts the caller first into the stack of an error; returns the error, or anything else as it is. */
export const withCaller = <A>(error: A, caller: Caller): A => {
  if (!(error instanceof Error) || Object.isFrozen(error)) return error
  const own = framesOf(error.stack)
  const callers = framesOf(caller.stack)
  const frames = [...callers, ...own.filter((frame) => !callers.includes(frame))]
  return Object.assign(error, { stack: [`${error.name}: ${error.message}`, ...frames].join('\n') })
}

/** In V8, the message comes first, and each frame begins with "at"; elsewhere there are only frames. */
const framesOf = (stack = ''): ReadonlyArray<string> => {
  const lines = stack.split('\n').filter((line) => line !== '')
  const frames = lines.filter((line) => /^\s+at /.test(line))
  return frames.length > 0 ? frames : lines
}
