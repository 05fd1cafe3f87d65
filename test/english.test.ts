/**
 * Words and turns that stop a reader, with what an engineer writes instead. Pages are searched for all of them; comments, help
 * and messages of the source for those that are marked `everywhere`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Turn {
  readonly not: RegExp
  readonly but: string
  /** True if the source is free of it, too. */
  readonly everywhere?: true
}

const UNITS = 'second|minute|hour|page|row|request|task|endpoint|process|month|item|commit|million'

const turns: ReadonlyArray<Turn> = [
  { not: /interface document/i, but: 'the API description' },
  { not: /\b(?:calls|versions|rules?|codes|document) of the interface\b/i, but: 'of the API' },
  {
    not: new RegExp(
      `\\b(?:\\d[\\d,.]*|requests|rows|pages|charges|commands|calls|logins|times|bytes|seconds|[KMG]i?B) an? (?:${UNITS})\\b`,
    ),
    but: 'requests per second',
  },
  { not: /\bas of (?:`|the |an? )/i, but: 'same as in' },
  { not: /(?:^|[.!?] )(?:Whether|Those|Who|Nobody)\b(?![^.]*\?)/m, but: 'a noun first' },
  { not: /(?:^|[.!?] )Of (?:an? |the |[A-Z])/m, but: 'With PgBouncer, …' },
  { not: /(?<!\bno )\bsuch (?!as\b|an? )\w/i, but: 'the noun itself' },
  { not: /\bif it is not there\b|\bwhatever is there\b/i, but: 'if missing; any existing output' },
  { not: /\bgo(?:es)? on where\b|\bgone on with\b/i, but: 'resumes' },
  { not: /\bto be opened in a browser\b/i, but: 'an HTML report', everywhere: true },
  { not: /\bat this time or (?:later|earlier)\b/i, but: 'at or after this time' },
  { not: /\bshow(?:s)? that it lives\b/i, but: 'renew the lease', everywhere: true },
  { not: /\bwhich limits to keep\b|\bkeep none\b/i, but: 'limits to respect', everywhere: true },
  { not: /\brequests at a time \[/i, but: 'concurrent requests', everywhere: true },
  { not: /\bbeside these\b|\bseen besides\b|^## Besides$/im, but: 'see also' },
  { not: /\bwhat comes back\b|\bwhat is sent\b/i, but: 'response objects, request objects' },
  { not: /\bsent again\b(?! (?:after 1, 2|if your|because|at once|for about))/i, but: 'retried' },
  { not: /\bbest width\b/i, but: 'best concurrency' },
  { not: /\b(?:under way|underway)\b/i, but: 'in progress' },
  { not: /\b(?:comes? into|leaves?) the filter\b/i, but: 'starts or stops matching' },
  { not: /\bmoves? while (?:it is|they are) read\b/i, but: 'shifts while you read it' },
  { not: /\bbuilt-in proxy\b(?! support)/i, but: 'built-in proxy support', everywhere: true },
  { not: /\bhalf (?:of )?a surrogate\b/i, but: 'an unpaired surrogate' },
  { not: /\bthe same command again (?:helps|continues)\b/i, but: 'safe to retry' },
  { not: /\baction is needed\b|\bpasses by itself\b/i, but: 'fix the cause first; temporary' },
  { not: /\bas (?:it|they) (?:stands?|came|comes?)\b/i, but: 'in its current state; the original' },
  { not: /\bin words\b/i, but: 'as text' },
  { not: /\btaken out\b/i, but: 'removed' },
  { not: /\bwhen (?:it is )?left out\b/i, but: 'if omitted, by default' },
  { not: /\bof (?:your|its|their) own read\b|\brows of your own\b/i, but: 'your own rows' },
  { not: /\bwait(?:s|ed)? long\b|\bhow long a fault\b/i, but: 'while the service is failing' },
  { not: /\bis told by\b|\bsays so by\b/i, but: 'the event says so' },
  { not: /\bone by one\b(?!,)/i, but: 'one per row' },
  { not: /\b(?:lost|clear|no|without an?) answer\b/i, but: 'response' },
  { not: /\bgives? back\b|\bgave back\b/i, but: 'returns' },
  { not: /\bbeginning(?:s)? anew\b|\bmade anew\b|\bbegins anew\b/i, but: 'starts over; renewed' },
  { not: /\brenews? it in time\b/i, but: 'refreshes the token before expiry', everywhere: true },
  {
    not: /\bdrops? out of the queue\b|\btakes it out of the queue\b/i,
    but: 'removes it from the queue',
    everywhere: true,
  },
  { not: /\bis proven by\b(?! (?:the count|counts))/i, but: 'is checked by' },
  { not: /\bgo(?:es)? with `?--/, but: 'requires', everywhere: true },
  { not: /\bexcludes? each other\b/i, but: 'cannot be used together', everywhere: true },
  { not: /\brequests? behind the\b/i, but: 'queued by the', everywhere: true },
  { not: /\bwrong use\b/i, but: 'usage error', everywhere: true },
  { not: /\bms a page\b/i, but: 'ms per page', everywhere: true },
]

/** Turns that help and messages of the command line are free of. */
const ofCommands: ReadonlyArray<Turn> = [
  { not: /\bact first\b/i, but: 'fix the cause first' },
  { not: /\blook before\b/i, but: 'check before' },
  { not: /\bthe same command (?:with \S+ )?continues\b/i, but: 'rerun the command to continue' },
  { not: /" says more\b/i, but: 'run "..." for details' },
  { not: /\b(?:is|are) needed\b(?! to)/i, but: 'is required' },
  { not: /\b(?:there is )?no such (?!as\b)/i, but: 'unknown, not found' },
  { not: /\b(?:is|are) not known (?:if|whether)\b/i, but: 'it is unknown whether' },
  { not: /\bin all(?:[,.:;]|$)/m, but: 'in total' },
  { not: /\bstretch(?:es)? of time\b/i, but: 'time ranges' },
  { not: /\breads? (?:\w+ )?again\b/i, but: 're-read' },
  { not: /\bno more than\b|\bas (?:it|they) (?:was|were)\b/i, but: 'at most; unchanged' },
  { not: /, (?:and is|and there (?:is|are)) /i, but: ', but is' },
]

/** Turns that the library is free of: its comments and messages, which editors and logs show. */
const libraryTurns: ReadonlyArray<Turn> = [
  { not: /\b(?:should be|'|`)left out: /, but: 'omitted: ' },
  { not: /\bthere is no such\b/i, but: 'unknown option; the database does not exist' },
  { not: /, and is \$\{/, but: 'should be …, but is …' },
  { not: /, and (?:came|gave|emitted) \w+/, but: 'but emitted nothing' },
  { not: /\bdefault, not specified\b/i, but: 'our assumption: not in the API description' },
  { not: /\bthe interface (?:lists|names|shows|gives|allows|says)\b/i, but: 'the API description' },
  { not: /\bfit for a log\b/i, but: 'safe to log' },
  { not: /\bits first value (?:ends|stops)\b/i, but: 'stops when this emits' },
  { not: /\bact first\b|"? says more\b(?! than)/i, but: 'fix the cause first; for details' },
  { not: /\b(?:written|made|quoted|begun|begins?) anew\b/i, but: 'rewritten, created, again' },
  { not: /\bas of\b/i, but: 'same as in' },
  { not: /\bin words\b|\bone by one\b/i, but: 'as text; one at a time' },
  { not: /\b(?:is|are) of an(?:other)? (?:account|export|sync|list)\b/i, but: 'belongs to' },
  { not: /\b(?:is|are) under way\b/i, but: 'in progress, in flight' },
  { not: /\bReturns whether\b/, but: 'Returns true if' },
  { not: /\bRecognise/, but: 'Recognize' },
  { not: /\bput down to\b|\bhad better\b/i, but: 'attributed to; should' },
  { not: /\b(?:others?|another one) when (?:it|they) (?:was|were) read again\b/i, but: 'changed' },
]

/** The sentences of a page: without code, commands and their output, and the marks of tables. */
const proseOf = (page: string): string =>
  page
    .replaceAll(/^( *)(```+)[\s\S]*?^\1\2 *$/gm, '')
    .replaceAll(/^ {4}.*$/gm, '')
    .replaceAll(/`[^`]*`/g, '``')
    .replaceAll(/^\|/gm, '')
    .replaceAll(/ \| /g, '. ')
    .replaceAll(/(?<=\S)\n(?=[^\n#.-])/g, ' ')

/** The comments and texts of a source file. */
const wordsOf = (source: string): string =>
  Array.from(
    source.matchAll(
      /\/\*\*?([\s\S]*?)\*\/|(?<!:)\/\/(.*)|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g,
    ),
    (found) =>
      found
        .slice(1)
        .join('')
        .replaceAll(/\n\s*\*? ?/g, ' '),
  ).join('\n')

/** The texts of a source file alone. */
const textsOf = (source: string): string =>
  wordsOf(source.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, ''))

const filesIn = (folder: string, end: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name))

const pages: ReadonlyArray<string> = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...filesIn('docs', '.md'),
  ...filesIn('site/pages', '.md'),
]

const read = (name: string): string => readFileSync(join(root, name), 'utf8')

/** Where a turn is found, each with the words around it. */
const found = (text: string, searched: ReadonlyArray<Turn>): ReadonlyArray<string> =>
  searched.flatMap(({ not, but }) =>
    Array.from(
      text.matchAll(new RegExp(not, `${not.flags}g`)),
      ({ index }) => `…${text.slice(Math.max(0, index - 30), index + 60)}… not this, but: ${but}`,
    ),
  )

describe('plain English', () => {
  it.each(pages)('%s', (page) => {
    expect(found(proseOf(read(page)), turns)).toEqual([])
  })

  it('comments, help and messages of the source', () => {
    const everywhere = turns.filter((turn) => turn.everywhere)
    const places = filesIn('src', '.ts').flatMap((name) =>
      found(wordsOf(read(name)), everywhere).map((place) => `${name}: ${place}`),
    )
    expect(places).toEqual([])
  })

  it('comments and messages of the library', () => {
    const places = filesIn('src', '.ts')
      .filter((name) => !name.startsWith(join('src', 'cli')))
      .flatMap((name) =>
        found(wordsOf(read(name)), libraryTurns).map((place) => `${name}: ${place}`),
      )
    expect(places).toEqual([])
  })

  it('help and messages of commands', () => {
    const places = filesIn('src/cli', '.ts').flatMap((name) =>
      found(textsOf(read(name)), ofCommands).map((place) => `${name}: ${place}`),
    )
    expect(places).toEqual([])
  })

  it('says what the platform is where a guide first mentions it, with a link to its description', () => {
    const guides = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
    const first = guides.flatMap((name) => {
      const prose = proseOf(read(`docs/${name}`))
      const mention = /[^.]{0,40}\bplatform(?!'s own account| decides|s\b)[^.]{0,60}/i.exec(
        prose,
      )?.[0]
      return mention === undefined || /Payments Platform/.test(mention)
        ? []
        : [`${name}: ${mention}`]
    })
    expect(first).toEqual([])
  })
})
