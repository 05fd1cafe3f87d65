/** Sums in other programs, by the commands of the page on formats, as they stand there. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { raw } from 'jq-wasm'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseExact } from '../../src/decode/index.js'
import { formatNames } from '../../src/export/format/Format.js'
import { formatOf, openFile } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { Charge } from '../../src/index.js'
import { CHARGE } from '../support/lab.js'
import { tempFolder } from '../support/tempFolder.js'
import { duckdb } from './reading.js'

const page = readFileSync(fileURLToPath(new URL('../../docs/formats.md', import.meta.url)), 'utf8')

/** The last block of a language. */
const blockOf = (language: string): string => {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))
  const block = Array.from(blocks, ([, text = '']) => text).at(-1)
  if (block === undefined) throw new Error(`no block of ${language}`)
  return block
}

/** As doubles they add up to something else. */
const AMOUNTS = [
  ...[['EUR', '0.1'] as const, ['EUR', '0.2'] as const, ['EUR', '12.50'] as const],
  ...[['EUR', '549755813887.9999'] as const, ['EUR', '0.0001'] as const],
  ...[['JPY', '3'] as const, ['KWD', '0.125'] as const],
]

const SUMS = { EUR: '549755813900.8000', JPY: '3.0000', KWD: '0.1250' }

/** An amount of which doubles have no cents. */
const LARGE = ['EUR', '90071992547409.93'] as const
const LARGE_SUM = '90621748361310.7300'

const home = tempFolder()
const [usual, large] = [join(home, 'usual'), join(home, 'large')]

const write = async (
  folder: string,
  amounts: ReadonlyArray<readonly [string, string]>,
): Promise<void> => {
  mkdirSync(folder)
  const rows = amounts.map(([currency, amount], i) => {
    const text = JSON.stringify({ ...CHARGE, id: `00${i}`, currency }).replace('9.99', amount)
    const row = Charge.decode(parseExact(text))
    if (E.isLeft(row)) throw new Error(text)
    return row.right
  })
  for (const name of formatNames) {
    const format = formatOf(Charge)({ format: name })
    const file = await openFile({ path: join(folder, `charges.${name}`), format })
    await file.write(rows)
    await file.finish()
  }
}

beforeAll(async () => {
  await write(usual, AMOUNTS)
  await write(large, [...AMOUNTS, LARGE])
})

/** With four decimals. */
const padded = (text: string): string => {
  const [whole = '', part = ''] = text.split('.')
  return `${whole}.${part.padEnd(4, '0')}`
}

describe('DuckDB', () => {
  const shown = blockOf('sql')
    .split(';')
    .slice(0, -1)
    .map((statement) => statement.trim())

  /** With the one of JSON, which the page says is that of NDJSON. */
  const statements = shown.flatMap((statement) =>
    statement.includes('.ndjson')
      ? [statement, statement.replace('.ndjson', '.json')]
      : [statement],
  )

  const sumsOf = async (folder: string, statement: string) => {
    const sql = await duckdb()
    const rows = await sql(statement.replace("'charges.", `'${folder}/charges.`))
    const sums = rows.map((row) => [String(row.currency), String(row['sum(amount)'])] as const)
    return Object.fromEntries(sums)
  }

  it('has a statement for each format', () => {
    expect(statements.map((statement) => /charges\.(\w+)/.exec(statement)?.[1])).toEqual([
      'csv',
      'ndjson',
      'json',
      'parquet',
    ])
  })

  it.each(statements)('adds exactly: %s', async (statement) => {
    expect(await sumsOf(usual, statement)).toEqual(SUMS)
  })

  it.each(statements.filter((statement) => !statement.includes('read_json')))(
    'adds large amounts exactly: %s',
    async (statement) => {
      expect(await sumsOf(large, statement)).toMatchObject({ EUR: LARGE_SUM })
    },
  )
})

describe('jq', () => {
  const commands = Array.from(
    blockOf('sh').matchAll(/^jq -s '(.*)' (charges\.\w+)$/gm),
    ([, filter = '', name = '']) => [
      { flags: ['-s'], filter, name },
      { flags: [], filter, name: 'charges.json' }, // "for JSON leave `-s` out"
    ],
  ).flat()

  it.each(commands)('adds exactly: $name', async ({ flags, filter, name }) => {
    const lines = await raw(readFileSync(join(usual, name), 'utf8'), filter, ['-c', ...flags])
    const sums = lines
      .trim()
      .split('\n')
      .map((line): [string, number] => JSON.parse(line))
    expect(sums.map(([currency, sum]) => [currency, padded(`${sum}`)])).toEqual(
      Object.entries(SUMS),
    )
  })

  it('has a command for each format', () => expect(commands).toHaveLength(2))
})

/** Returns whether Python is there, with these modules. Another than `python3` can be named by `PYTHON`. */
const python = process.env.PYTHON ?? 'python3'
const hasPython = (...modules: ReadonlyArray<string>): boolean => {
  try {
    execFileSync(python, ['-c', `import ${modules.join(', ')}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a program in a folder; each line that it prints is sums by currency. */
const printed = (folder: string, program: string): ReadonlyArray<unknown> => {
  const shown = `${program.replaceAll(/print\((.*)\)$/gm, 'shown($1)')}`
  const show = [
    'import json as j',
    'def shown(sums): print(j.dumps({k: f"{v:.4f}" for k, v in sums.items()}))',
  ]
  const text = execFileSync(python, ['-c', [...show, shown].join('\n')], { cwd: folder })
  return text
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe.skipIf(!hasPython('json'))('Python', () => {
  /** Types as for pandas, without pandas. */
  const PLAIN = `
import csv, json
from decimal import Decimal
def print_sums(rows):
    sums = {}
    for row in rows:
        sums[row['currency']] = sums.get(row['currency'], Decimal(0)) + Decimal(row['amount'])
    print(sums)
with open('charges.csv', encoding='utf-8', newline='') as lines:
    print_sums(csv.DictReader(lines))
with open('charges.ndjson', encoding='utf-8') as lines:
    print_sums(json.loads(line, parse_float=Decimal, parse_int=Decimal) for line in lines)
with open('charges.json', encoding='utf-8') as text:
    print_sums(json.load(text, parse_float=Decimal, parse_int=Decimal))
`

  it('adds text as Decimal exactly', () => {
    expect(printed(usual, PLAIN)).toEqual([SUMS, SUMS, SUMS])
    expect(printed(large, PLAIN)[0]).toMatchObject({ EUR: LARGE_SUM })
  })
})

describe.skipIf(!hasPython('pandas', 'pyarrow'))('pandas', () => {
  it('adds exactly, from each format', () => {
    expect(printed(usual, blockOf('python'))).toEqual([SUMS, SUMS, SUMS])
    expect(printed(large, blockOf('python'))).toMatchObject(
      Array.from({ length: 3 }, () => ({ EUR: LARGE_SUM })),
    )
  })
})
