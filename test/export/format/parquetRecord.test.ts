import { expect, it } from 'vitest'
import { recordOf } from '../../../src/export/format/parquetRecord.js'

/** A list as V8 allots it where the length was known before the values. */
const allottedBefore = <A>(list: ReadonlyArray<A>): Array<A> => {
  const copy = new Array<A>(list.length)
  for (const [i, one] of list.entries()) copy[i] = one
  return copy
}

it('has the same bytes for the same row groups, however their lists are allotted', () => {
  const record = (list: <A>(of: ReadonlyArray<A>) => Array<A>) =>
    recordOf(
      {
        columns: list(['id (text)', 'amount (decimal)']),
        groups: list([
          {
            total_byte_size: 90n,
            num_rows: 3n,
            columns: list([
              {
                file_offset: 4n,
                meta_data: {
                  ...{ type: 'BYTE_ARRAY' as const, codec: 'UNCOMPRESSED' as const },
                  encodings: list(['PLAIN' as const]),
                  path_in_schema: list(['fee', 'amount']),
                  ...{ num_values: 3n, total_uncompressed_size: 90n, total_compressed_size: 90n },
                  data_page_offset: 4n,
                  statistics: { null_count: 0n, max_value: new Uint8Array([1, 2]) },
                },
              },
            ]),
          },
        ]),
      },
      0,
    )
  expect(record(allottedBefore)).toEqual(record((of) => [...of]))
})
