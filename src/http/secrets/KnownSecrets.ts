import type { IO } from '../../fp.js'

// model

/** All that must not show, whatever the request. */
export interface KnownSecrets {
  readonly all: IO<ReadonlyArray<string>>
  readonly add: (token: string) => void
}

/** How many tokens are remembered: one that was replaced may still be good. */
const TOKENS = 8

// constructors

/** Those that are known from the start, and the last few tokens. */
export const knownSecrets = (known: ReadonlyArray<string>): KnownSecrets => {
  let tokens: ReadonlyArray<string> = []
  return {
    all: () => [...known, ...tokens],
    add: (token) => {
      tokens = [token, ...tokens].slice(0, TOKENS)
    },
  }
}
