/** What the rows are to callers. */
import type { Endpoint } from '../api/Endpoint.js'
import type { Paging } from '../api/Paging.js'
import type { Failure } from '../http/Failure.js'
import type { List } from '../http/list/readList.js'
import type { ObservableEither } from '../stream/index.js'

/** What a row is to callers: one object in, one stream out. */
export type Call<Row> =
  Row extends Endpoint<infer P, infer A, infer Code, infer Pages>
    ? (
        ...params: Record<never, never> extends P ? [params?: P] : [params: P]
      ) => Pages extends Paging ? List<Failure<Code>, A> : ObservableEither<Failure<Code>, A>
    : never

/** Every row of every table, under its name. */
export type ClientOf<Tables> = {
  readonly [Resource in keyof Tables]: {
    readonly [Name in keyof Tables[Resource]]: Call<Tables[Resource][Name]>
  }
}
