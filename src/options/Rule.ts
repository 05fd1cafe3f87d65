/** What options may be, as a table: it has a rule for each of them, so that a new one has to be entered. */

/** What an option may be. One that is left out is held against nothing, unless it is needed. */
export interface Rule {
  readonly fits: (u: unknown) => boolean
  /** The same in words, after "should be". */
  readonly expected: string
  /** What all that fits is by `typeof`, where it is one: an error does not say "a text" of another text. */
  readonly type?: 'string' | 'number'
  readonly isNeeded?: true
  /** The options inside it. */
  readonly inside?: Table
  /** What each is of a list, or of an object with names of the caller's own. */
  readonly each?: Rule
}

/** Rules by the names of options. */
export type Table = Readonly<Record<string, Rule>>

/** A rule for each option of `A`; needed are those that cannot be left out. */
export type Rules<A> = {
  readonly [Name in keyof A]-?: Record<never, never> extends Pick<A, Name> ? Rule : Needed
}

export interface Needed extends Rule {
  readonly isNeeded: true
}
