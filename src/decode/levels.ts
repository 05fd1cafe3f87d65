/** Levels that are kept of a value that may be nested without an end: those below are left out. */
export const LEVELS = 50

/** Levels of a row that is written, or put aside as it came. `JSON.stringify` and readers give up at some thousands. */
export const ROW_LEVELS = 500

/** Stands for what was left out. */
export const LEFT_OUT = '[...]'
