/**
 * `npm run docs:check`, after `npm run docs`: each query finds its page first, the layout fits the window, and axe-core
 * finds no serious barrier.
 */
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findBarriers } from './accessibility.ts'
import { browser } from './chromium.ts'
import { facts } from './facts.ts'
import { checkLayout } from './layout.ts'
import { miniSearch, QUERIES, searchWords } from './search.ts'

const dist = join(import.meta.dirname, 'dist')

const tell = (kind: string, wrong: ReadonlyArray<string>, summary: string): void => {
  for (const line of wrong) console.error(`${kind}: ${line}`)
  console.log(summary)
  if (wrong.length > 0) process.exitCode = 1
}

// search, with the options of the search box

interface Found {
  readonly id: string
  readonly title: string
  /** The headings above it. */
  readonly titles: ReadonlyArray<string>
  /** The words that are marked. */
  readonly match: Readonly<Record<string, ReadonlyArray<string>>>
}

interface SearchIndex {
  readonly search: (query: string) => ReadonlyArray<Found>
}

/** With the packages of this folder, which are not there before the site is built. */
const loadIndex = (json: string, options: object): SearchIndex =>
  createRequire(import.meta.url)('minisearch').loadJSON(json, options)

const searched = async (): Promise<ReadonlyArray<string>> => {
  const [file = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: dist })
  const { default: json } = await import(pathToFileURL(join(dist, file)).href)
  const index = loadIndex(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: miniSearch.searchOptions,
    ...miniSearch.options,
  })
  const missed = Object.entries(QUERIES).flatMap(([query, title]) => {
    const [first] = index.search(query)
    const path = first === undefined ? [] : [...first.titles, first.title]
    return path.includes(title) ? [] : [`${query}: "${title}" is expected, not ${path.join(' > ')}`]
  })
  const marked = index
    .search('csv for the accounting of a year')
    .flatMap(({ match }) => Object.keys(match))
    .filter((word) => ['for', 'the', 'of', 'a'].includes(word))
  const unknown = Object.keys(searchWords).filter(
    (title) => !index.search(title).some((found) => found.title === title),
  )
  return [
    ...missed,
    ...[...new Set(marked)].map((word) => `the stop word "${word}" is marked`),
    ...unknown.map((title) => `there are words for "${title}", which no page has`),
  ]
}

tell('search', await searched(), `${Object.keys(QUERIES).length} queries searched`)

if (facts().repository === undefined) {
  console.log('SKIPPED: the link to the repository, which neither the package nor a remote names')
}

if (browser === undefined) {
  console.log('SKIPPED: the layout of the pages and axe-core, which need Chromium')
} else {
  const { pages, findings } = await findBarriers(dist, browser)
  tell('axe-core', findings, `${pages.length} pages examined, ${findings.length} serious findings`)
  const layout = await checkLayout(dist, browser)
  tell('layout', layout.wrong, `${layout.pages} pages measured, ${layout.wrong.length} wrong`)
}
