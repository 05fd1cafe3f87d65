/** Levels that are kept of a value that may be nested without an end: those below are left out. */
export const LEVELS = 50

/** Stands for what was left out. */
export const LEFT_OUT = '[...]'
