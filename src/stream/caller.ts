/** Call stacks for errors that are created after the called function has returned. */

/** The place from which a function was called. V8 converts it to a string only when it is first used. */
export interface Caller {
  readonly stack?: string | undefined
}

/** Records the place from which `callee` was called. */
export const callerOf = (callee: (...args: never) => unknown): Caller => {
  if (typeof Error.captureStackTrace !== 'function') return new Error()
  const caller: Caller = {}
  Error.captureStackTrace(caller, callee)
  return caller
}

/** Puts the caller at the start of the stack of an error. Returns the error, or any other value unchanged. */
export const withCaller = <A>(error: A, caller: Caller): A => {
  if (!(error instanceof Error) || Object.isFrozen(error)) return error
  const own = framesOf(error.stack)
  const callers = framesOf(caller.stack)
  const frames = [...callers, ...own.filter((frame) => !callers.includes(frame))]
  return Object.assign(error, { stack: [`${error.name}: ${error.message}`, ...frames].join('\n') })
}

/** Returns the frames of a stack. Only V8 puts the message before them, and begins each frame with "at". */
const framesOf = (stack = ''): ReadonlyArray<string> => {
  const lines = stack.split('\n').filter((line) => line !== '')
  const frames = lines.filter((line) => /^\s+at /.test(line))
  return frames.length > 0 ? frames : lines
}
