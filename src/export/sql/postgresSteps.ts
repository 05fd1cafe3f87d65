/** The statements of steps in Postgres: each changes rows only if it replaces the state. */
import type { Store } from '../../store/Store.js'
import { GONE } from '../transfer/Destination.js'
import { BEGIN } from './PostgresConnection.js'
import type { ReadyTable } from './postgresTable.js'
import type { TableColumn } from './TableColumn.js'
import {
  type ColumnDefinition,
  quoted,
  rejectsTable,
  rejectText,
  type TableOptions,
  upsert,
} from './table.js'
import type { StepOwner, TableStep } from './tableDestination.js'
import { textName } from './tableRows.js'

/** Rows of a step, before they are put in place: of its transaction alone. */
export const STEP = 'pg_temp.payments_rx_step'

/** Begins a step that has rows. */
export const beginStep = (columns: ReadonlyArray<ColumnDefinition>): string => {
  const definitions = columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ')
  return `${BEGIN}; CREATE TEMPORARY TABLE ${STEP.replace('pg_temp.', '')} (${definitions}) ON COMMIT DROP`
}

/** A table whose steps are made, and how they are written. */
export interface PostgresStepsOptions
  extends Pick<TableOptions, 'table' | 'replaces' | 'doubtful'> {
  readonly columns: ReadonlyArray<TableColumn>
  readonly ready: ReadyTable
  /** Quotes a text. */
  readonly literal: (text: string) => string
}

export class PostgresSteps {
  /** The names of the columns, as SQL. */
  readonly names: string
  /** The table of the rejected rows, as SQL. */
  readonly rejects: string
  readonly #options: PostgresStepsOptions

  constructor(options: PostgresStepsOptions) {
    this.names = options.columns.map((column) => quoted(column.name)).join(', ')
    this.rejects = quoted(rejectsTable(options.table))
    this.#options = options
  }

  /** Replaces a text, or makes it; `version`: its next one. The changes that follow see whether it did, as `fenced`. */
  replacing(version: string, ...[name, text, before]: Parameters<Store['replace']>): string {
    const { table, ready, literal } = this.#options
    const [key, next] = [literal(textName(table, name)), literal(version)]
    const replaced =
      before === undefined
        ? `INSERT INTO ${ready.state} VALUES (${key}, ${literal(text)}, ${next}) ON CONFLICT DO NOTHING`
        : `UPDATE ${ready.state} SET text = ${literal(text)}, version = ${next} WHERE name = ${key} AND version = ${literal(before)}`
    return `WITH fenced AS (${replaced} RETURNING version)`
  }

  /** Puts the rows of the step in place, each once: of two versions, the later one. */
  merging(): string {
    const { columns, replaces, doubtful, ready } = this.#options
    const latest = columns.some((column) => column.name === 'updated_at')
      ? 'updated_at DESC NULLS LAST,'
      : ''
    const rows = `SELECT DISTINCT ON (id) ${this.names} FROM ${STEP} WHERE EXISTS (SELECT FROM fenced)
      ORDER BY id, ${latest} ctid DESC`
    const when = replaces ? ('always' as const) : { doubtful }
    const merged = `, merged AS (${upsert({ into: ready.rows, columns, rows, when, isMarked: !replaces })})`
    if (!replaces) return merged
    return `, gone AS (DELETE FROM ${ready.rows} AS old WHERE EXISTS (SELECT FROM fenced)
      AND NOT EXISTS (SELECT FROM ${STEP} AS next WHERE next.id = old.id))${merged}`
  }

  /** Makes the table of rejected rows, before the step that has the first of them. */
  rejecting({ rejects }: Pick<TableStep<never>, 'rejects'>): string {
    return rejects.length === 0
      ? ''
      : `CREATE TABLE IF NOT EXISTS ${this.rejects} (run bigint NOT NULL, reason text NOT NULL, row text NOT NULL); `
  }

  /** Keeps rejected rows, and marks rows that are gone. `drops`: rejected rows of earlier runs go. */
  changing(
    { rejects, gone }: Pick<TableStep<never>, 'rejects' | 'gone'>,
    { fence, drops }: Pick<StepOwner, 'fence'> & { readonly drops: boolean },
  ): string {
    const { ready, literal } = this.#options
    const kept = rejects.map(({ reason, row }) => ({ reason, row: rejectText(row) }))
    const [first] = gone
    return [
      rejects.length === 0
        ? ''
        : `, rejected AS (INSERT INTO ${this.rejects} SELECT ${fence}, reason, row
            FROM jsonb_to_recordset(${literal(JSON.stringify(kept))}) AS new (reason text, row text) WHERE EXISTS (SELECT FROM fenced))`,
      drops
        ? `, dropped AS (DELETE FROM ${this.rejects} WHERE run < ${fence} AND EXISTS (SELECT FROM fenced))`
        : '',
      first === undefined
        ? ''
        : `, marked AS (UPDATE ${ready.rows} SET ${GONE} = ${literal(new Date(first.at).toISOString())}
            WHERE id = ANY(ARRAY[${gone.map(({ id }) => literal(id)).join(', ')}]) AND EXISTS (SELECT FROM fenced))`,
    ].join('')
  }

  /** Fails where a text was replaced, and rows of the step are not there: each is looked for by its key. */
  arrived(version: string): string {
    const { ready, literal } = this.#options
    return `SELECT CASE WHEN lost > 0 THEN ('${LOST}' || lost)::integer END FROM (SELECT count(*) AS lost FROM ${STEP} AS step
      WHERE (SELECT true FROM ${ready.rows} AS there WHERE there.id = step.id) IS NULL) AS missing
      WHERE EXISTS (SELECT FROM ${ready.state} WHERE version = ${literal(version)})`
  }

  /** Does all that a step does, to nothing: it proves rights and shape. */
  trying(): string {
    const { state } = this.#options.ready
    return `${this.replacing('', 'none', '', 'none')}${this.merging()} SELECT version FROM fenced;
      INSERT INTO ${state} SELECT name, text, version FROM ${state} WHERE false;
      DELETE FROM ${state} WHERE name = '' AND version = ''`
  }
}

/** In the words of an error of the server: so many rows are not there. */
const LOST = 'payments-rx: lost rows: '

/** Returns how many rows are not there, where an error of `arrived` says so. */
export const lostIn = (error: unknown): number | undefined => {
  const { cause } = Object(error)
  const [, lost] = new RegExp(`${LOST}(\\d+)`).exec(String(Object(cause).message)) ?? []
  return lost === undefined ? undefined : Number(lost)
}
