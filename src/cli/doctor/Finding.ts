/** What a check found, and what to do about it. */

// model

export type Verdict = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Finding {
  /** Which check: stays the same from version to version. */
  readonly check: Check
  readonly verdict: Verdict
  /** One line. */
  readonly found: string
  /** What to do, where something is to be done. */
  readonly advice?: string
  /** What was found, for machines; units are in the names. */
  readonly facts?: Readonly<Record<string, Fact>>
}

type Fact = string | number | boolean | null | ReadonlyArray<string>

export type Check =
  | 'configuration'
  | 'base URL'
  | 'DNS'
  | 'connection'
  | 'TLS'
  | 'login'
  | 'list'
  | 'order'
  | 'round trip'
  | 'clock'
  | 'limits'
  | 'API version'

type More = Partial<Pick<Finding, 'advice' | 'facts'>>

// constructors

const finding =
  (verdict: Verdict) =>
  (check: Check, found: string, more: More = {}): Finding => ({ check, verdict, found, ...more })

export const ok = finding('ok')
export const warning = finding('warning')
export const failed = finding('failed')
export const skipped = finding('skipped')

// combinators

/** The gravest of all. */
export const worst = (findings: ReadonlyArray<Finding>): 'ok' | 'warning' | 'failed' => {
  const verdicts = findings.map(({ verdict }) => verdict)
  return (['failed', 'warning'] as const).find((grave) => verdicts.includes(grave)) ?? 'ok'
}

// interop

/** `ok       clock          0.1 s behind the service's`, with what to do on a line of its own. */
export const findingText = ({ verdict, check, found, advice }: Finding): string => {
  const line = `${verdict.padEnd(8)} ${check.padEnd(14)} ${found}`
  return advice === undefined ? line : `${line}\n${' '.repeat(24)}${advice}`
}
