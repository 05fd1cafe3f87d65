/** The result of one check, and what to do about it. */

// model

export type CheckVerdict = 'ok' | 'warning' | 'failed' | 'skipped'

/** Names of checks: they never change, since scripts select by them. */
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
  | 'queue'

export interface Finding {
  readonly check: Check
  readonly verdict: CheckVerdict
  /** One line. */
  readonly found: string
  readonly advice?: string
  /** For machines; units are in the names. */
  readonly facts?: Readonly<
    Record<string, string | number | boolean | null | ReadonlyArray<string>>
  >
}

// constructors

const finding =
  (verdict: CheckVerdict) =>
  (
    check: Check,
    found: string,
    more: Partial<Pick<Finding, 'advice' | 'facts'>> = {},
  ): Finding => ({ check, verdict, found, ...more })

export const ok = finding('ok')
export const warning = finding('warning')
export const failed = finding('failed')
export const skipped = finding('skipped')

// combinators

export const worst = (findings: ReadonlyArray<Finding>): 'ok' | 'warning' | 'failed' => {
  const verdicts = findings.map(({ verdict }) => verdict)
  return (['failed', 'warning'] as const).find((bad) => verdicts.includes(bad)) ?? 'ok'
}

/** Formats `ok       clock          0.1 s behind the service's`, with the advice on a line of its own. */
export const findingText = ({ verdict, check, found, advice }: Finding): string => {
  const line = `${verdict.padEnd(8)} ${check.padEnd(14)} ${found}`
  return advice === undefined ? line : `${line}\n${' '.repeat(24)}${advice}`
}
