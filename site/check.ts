/**
 * Checks of the built site: each query finds its page, and no page is wider than a phone or a desktop (in Chromium, which
 * `CHROMIUM` names; skipped where there is none). `npm run docs:check`, after `npm run docs`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { QUERIES } from './search.ts'

const dist = join(import.meta.dirname, 'dist')
const WIDTHS = [360, 1_280]

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

// widths

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
}

const serve = async () => {
  const server = createServer(({ url = '/' }, response) => {
    const path = join(dist, decodeURIComponent(new URL(url, 'http://site').pathname))
    const file = [path, `${path}.html`, join(path, 'index.html')].find(
      (one) => extname(one) !== '' && existsSync(one),
    )
    if (file === undefined) response.writeHead(404).end()
    else
      response
        .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
        .end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** A page of Chromium, by its debugging protocol. */
const openPage = async (child: ChildProcess) => {
  let said = ''
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(said)))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const [, url] = /listening on (ws:\S+)/.exec(said) ?? []
      if (url !== undefined) resolve(url)
    })
  })
  const socket = new WebSocket(endpoint)
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
  const answers = new Map<number, (result: Record<string, unknown>) => void>()
  const heard = new Map<string, () => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result, method } = JSON.parse(String(data))
    answers.get(id)?.(result)
    heard.get(method)?.()
  })
  let sent = 0
  const send = (method: string, params: object, sessionId?: unknown) =>
    new Promise<Record<string, unknown>>((resolve) => {
      const id = ++sent
      answers.set(id, resolve)
      socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }))
    })
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
  await send('Page.enable', {}, sessionId)
  // pages are rendered before they are served: what runs later changes no width, and takes most of the time
  await send('Emulation.setScriptExecutionDisabled', { value: true }, sessionId)
  return {
    open: async (url: string): Promise<void> => {
      const loaded = new Promise<void>((resolve) => heard.set('Page.loadEventFired', resolve))
      await send('Page.navigate', { url }, sessionId)
      await loaded
    },
    /** Returns how much wider the document is than a window of this width. */
    excessAt: async (width: number): Promise<number> => {
      const metrics = { width, height: 800, deviceScaleFactor: 1, mobile: width < 600 }
      await send('Emulation.setDeviceMetricsOverride', metrics, sessionId)
      const expression = 'document.documentElement.scrollWidth'
      const { result } = await send('Runtime.evaluate', { expression }, sessionId)
      return Number(Object(result).value) - width
    },
  }
}

const widePages = async (chromium: string): Promise<ReadonlyArray<string>> => {
  const profile = mkdtempSync(join(tmpdir(), 'payments-rx-site-'))
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0']
  const child = spawn(chromium, [...flags, `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const site = await serve()
  try {
    const page = await openPage(child)
    const wide: Array<string> = []
    for (const file of globSync('**/*.html', { cwd: dist }).sort()) {
      await page.open(`${site.url}/${file}`)
      for (const width of WIDTHS) {
        const excess = await page.excessAt(width)
        if (!(excess <= 0)) wide.push(`${file} is ${excess} px too wide at ${width} px`)
      }
    }
    return wide
  } finally {
    site.close()
    child.kill()
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

const isThere = (command: string): boolean =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, command))) ||
  existsSync(command)

const missed = await missedQueries()
for (const line of missed) console.error(`search: ${line}`)
const chromium = process.env.CHROMIUM ?? 'chromium'
const wide = isThere(chromium) ? await widePages(chromium) : []
if (!isThere(chromium)) console.log('SKIPPED: widths of pages, without Chromium')
for (const line of wide) console.error(`width: ${line}`)
console.log(
  `${Object.keys(QUERIES).length - missed.length} queries find their page, ${wide.length} pages are too wide`,
)
process.exitCode = missed.length + wide.length === 0 ? 0 : 1
