/** The lanes that a scheduler must have for a client. */
export const PRIORITIES = ['interactive', 'bulk'] as const

/** Who goes first when limits bind. */
export type Priority = (typeof PRIORITIES)[number]
