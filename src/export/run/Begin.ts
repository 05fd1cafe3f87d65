/**
 * - `new`: there must be no checkpoint.
 * - `resume`: goes on from the checkpoint, if there is one.
 * - `restart`: whatever is there is replaced.
 */
export type Begin = 'new' | 'resume' | 'restart'
