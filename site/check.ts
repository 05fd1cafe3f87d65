/** `npm run docs:check`, after `npm run docs`: each query finds its page, and no page is wider than the window. */
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { QUERIES } from './search.ts'
import { browser, measureWidths } from './widths.ts'

const dist = join(import.meta.dirname, 'dist')

// search, with the options of the search box

interface SearchIndex {
  readonly search: (query: string) => ReadonlyArray<{ readonly id: string }>
}

/** With the packages of this folder, which are not there before the site is built. */
const loadIndex = (json: string, options: object): SearchIndex =>
  createRequire(import.meta.url)('minisearch').loadJSON(json, options)

const missedQueries = async (): Promise<ReadonlyArray<string>> => {
  const [file = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: dist })
  const { default: json } = await import(pathToFileURL(join(dist, file)).href)
  const index = loadIndex(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: {
      fuzzy: 0.2,
      prefix: true,
      boost: { title: 4, text: 2, titles: 1 },
      boostDocument: (id: string) =>
        id.startsWith('/types/') ? 0.2 : /^\/(reference|internals)\//.test(id) ? 0.6 : 1,
    },
  })
  const pageOf = (id: string): string =>
    id
      .replace(/#.*/, '')
      .replace(/^\//, '')
      .replace(/(?<=^|\/)$/, 'index')
  return Object.entries(QUERIES).flatMap(([query, page]) => {
    const pages = [...new Set(index.search(query).map(({ id }) => pageOf(id)))].slice(0, 3)
    return pages.includes(page) ? [] : [`${query}: ${page} is not among ${pages.join(', ')}`]
  })
}

const missed = await missedQueries()
for (const line of missed) console.error(`search: ${line}`)
console.log(`${Object.keys(QUERIES).length - missed.length} queries find their page`)
if (missed.length > 0) process.exitCode = 1

if (browser === undefined) {
  console.log('SKIPPED: the widths of the pages, which need Chromium')
} else {
  const { pages, wide } = await measureWidths(dist, browser)
  for (const line of wide) console.error(`overflow: ${line}`)
  console.log(`${pages} pages measured, ${wide.length} too wide`)
  if (wide.length > 0) process.exitCode = 1
}
