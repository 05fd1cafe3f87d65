/** The statements of steps in Postgres. Each of them changes rows only if it replaces the state. */
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

/** The rows of a step before they are merged, visible only in its transaction. */
export const STEP = 'pg_temp.payments_rx_step'

/** Starts a step that has rows. */
export const beginStep = (columns: ReadonlyArray<ColumnDefinition>): string => {
  const definitions = columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ')
  return `${BEGIN}; CREATE TEMPORARY TABLE ${STEP.replace('pg_temp.', '')} (${definitions}) ON COMMIT DROP`
}

/** The table that steps write to, and its parts as SQL. */
export interface PostgresStepsOptions extends Pick<TableOptions, 'table' | 'replaces'> {
  readonly columns: ReadonlyArray<TableColumn>
  readonly ready: ReadyTable
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

  /** Replaces or creates a text. `version`: its next version. Later statements read from `fenced` whether this succeeded. */
  replacing(version: string, ...[name, text, before]: Parameters<Store['replace']>): string {
    const { table, ready, literal } = this.#options
    const [key, next] = [literal(textName(table, name)), literal(version)]
    const replaced =
      before === undefined
        ? `INSERT INTO ${ready.state} VALUES (${key}, ${literal(text)}, ${next}) ON CONFLICT DO NOTHING`
        : `UPDATE ${ready.state} SET text = ${literal(text)}, version = ${next} WHERE name = ${key} AND version = ${literal(before)}`
    return `WITH fenced AS (${replaced} RETURNING version)`
  }

  /** Merges the rows of the step, each once. If there are two versions of a row, keeps the one written last. */
  merging(): string {
    const { columns, replaces, ready } = this.#options
    const rows = `SELECT DISTINCT ON (id) ${this.names} FROM ${STEP} WHERE EXISTS (SELECT FROM fenced)
      ORDER BY id, ctid DESC`
    const merged = `, merged AS (${upsert({ into: ready.rows, columns, rows, isMarked: !replaces })})`
    if (!replaces) return merged
    return `, gone AS (DELETE FROM ${ready.rows} AS old WHERE EXISTS (SELECT FROM fenced)
      AND NOT EXISTS (SELECT FROM ${STEP} AS next WHERE next.id = old.id))${merged}`
  }

  /** Creates the table of rejected rows before the first step that has any. */
  rejecting({ rejects }: Pick<TableStep<never>, 'rejects'>): string {
    return rejects.length === 0
      ? ''
      : `CREATE TABLE IF NOT EXISTS ${this.rejects} (run bigint NOT NULL, reason text NOT NULL, row text NOT NULL); `
  }

  /** Stores rejected rows, and marks rows that are gone. `drops`: also removes rejected rows of earlier runs. */
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

  /** Fails if a text was replaced but rows of the step are missing. Looks up each row by its key. */
  arrived(version: string): string {
    const { ready, literal } = this.#options
    return `SELECT CASE WHEN lost > 0 THEN ('${LOST}' || lost)::integer END FROM (SELECT count(*) AS lost FROM ${STEP} AS step
      WHERE (SELECT true FROM ${ready.rows} AS there WHERE there.id = step.id) IS NULL) AS missing
      WHERE EXISTS (SELECT FROM ${ready.state} WHERE version = ${literal(version)})`
  }

  /** Tries a step without rows, to check permissions and columns. */
  trying(): string {
    const { state } = this.#options.ready
    return `${this.replacing('', 'none', '', 'none')}${this.merging()} SELECT version FROM fenced;
      INSERT INTO ${state} SELECT name, text, version FROM ${state} WHERE false;
      DELETE FROM ${state} WHERE name = '' AND version = ''`
  }
}

/** Marker in a server error, followed by the number of missing rows. */
const LOST = 'payments-rx: lost rows: '

/** Returns the number of missing rows if the error comes from `arrived`. */
export const lostIn = (error: unknown): number | undefined => {
  const { cause } = Object(error)
  const [, lost] = new RegExp(`${LOST}(\\d+)`).exec(String(Object(cause).message)) ?? []
  return lost === undefined ? undefined : Number(lost)
}
