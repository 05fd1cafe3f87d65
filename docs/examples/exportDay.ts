/** Exports one day as a job for any engine. */
import { type Charge, type Client, InvalidOption, PaymentsError, toError } from 'payments-rx'
import {
  type ExportOptions,
  exportTo,
  isExportError,
  isRetryable,
  type ManifestRun,
} from 'payments-rx/export'
import { lastValueFrom } from 'rxjs'

/** Exports the charges created on a day (UTC, such as `2026-01-31`). Rejects with the failure if it is not complete. */
export const exportDay = async (
  payments: Client,
  day: string,
  options: Omit<ExportOptions<Charge>, 'resume'>,
): Promise<ManifestRun> => {
  if (!(day < new Date().toISOString().slice(0, 10))) throw new RangeError(`${day} has not ended`)
  const charges = payments.charges.snapshot({ from_created_at: day, to_created_at: day }).parallel()
  const resume = options.restart !== true
  const end = await lastValueFrom(exportTo(charges, { ...options, resume }))
  if (end._tag === 'Left') throw isExportError(end.left) ? end.left : toError(end.left)
  if (end.right.run?.complete === true) return end.right.run
  throw new Error(`${day}: ${end.right.run?.missing.join(', ')}`)
}

/** Returns true if a retry does not help: fix the cause first. */
export const isFinal = (error: unknown): boolean =>
  error instanceof InvalidOption ||
  (error instanceof PaymentsError && !isRetryable(error.failure)) ||
  (isExportError(error) && !isRetryable(error))
