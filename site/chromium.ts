/** A script that Chromium runs beside the built site: it opens pages in a frame, as a reader does, and examines them. */
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'

/** For all pages, in ms: a browser that hangs is ended. */
const PATIENCE = 1_200_000

/** Debian calls it chromium, others add to the name. */
export const browser = ['chromium', 'chromium-browser', 'google-chrome'].find((name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => globSync(join(folder, name))[0]),
)

/**
 * `open(page, width, height, theme)` resolves with the document of the page once it is loaded, `untilAlive(document)` when
 * its scripts run, `addLibrary(document)` when it has the library.
 */
const OPEN = `
const frame = document.querySelector('iframe')
const open = async (page, width, height, theme = 'light') => {
  localStorage.setItem('vitepress-theme-appearance', theme)
  Object.assign(frame, { width, height })
  await new Promise((resolve) => {
    frame.onload = resolve
    frame.src = page
  })
  return frame.contentDocument
}
const untilAlive = async (opened) => {
  const isReady = () =>
    opened.querySelector('#app')?.__vue_app__ !== undefined && !opened.querySelector('[aria-busy=true]')
  while (!isReady()) await new Promise((resolve) => setTimeout(resolve, 50))
  await opened.fonts.ready
}
const addLibrary = (opened) => new Promise((resolve) => {
  const script = Object.assign(opened.createElement('script'), { src: '/library.js', onload: resolve })
  opened.head.append(script)
})`

/** Resolves with the lines that a script returns: the body of an async function, in which `open` opens a page. */
export const inChromium = async (
  dist: string,
  program: string,
  script: string,
  library = '',
): Promise<ReadonlyArray<string>> => {
  const profile = mkdtempSync(join(tmpdir(), 'payments-rx-site-'))
  let tell = (_lines: ReadonlyArray<string> | undefined): void => {}
  const told = new Promise<ReadonlyArray<string> | undefined>((resolve) => {
    tell = resolve
  })
  const page = `<!doctype html>
<iframe></iframe>
<script type="module">${OPEN}
const run = async () => {${script}}
const lines = await run().catch((error) => ['the check failed: ' + error.message])
await fetch('/checked', { method: 'POST', body: JSON.stringify(lines) })
</script>`
  const site = new Hono()
    .get('/check', (context) => context.html(page))
    .get('/library.js', (context) =>
      context.body(library, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
    )
    .post('/checked', async (context) => {
      tell(await context.req.json())
      return context.body(null, 204)
    })
    .use(
      serveStatic({
        root: dist,
        rewriteRequestPath: (path) => (/\/$|\.\w+$/.test(path) ? path : `${path}.html`),
      }),
    )
  const server = serve({ fetch: site.fetch, hostname: '127.0.0.1', port: 0 })
  const chromium = await new Promise<ReturnType<typeof spawn>>((started) => {
    server.once('listening', () => {
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars']
      const own = [`--user-data-dir=${profile}`, '--remote-debugging-port=0'] // else it ends at once
      const args = [...flags, ...own, `http://127.0.0.1:${port}/check`]
      started(spawn(program, args, { stdio: 'ignore' }))
    })
  })
  chromium.once('exit', () => tell(undefined))
  const patience = setTimeout(() => chromium.kill('SIGKILL'), PATIENCE)
  try {
    const lines = await told
    if (lines === undefined) throw new Error('Chromium ended before all pages were checked')
    return lines
  } finally {
    clearTimeout(patience)
    const ended = new Promise((done) => chromium.once('exit', done))
    if (chromium.exitCode === null && chromium.kill('SIGKILL')) await ended
    server.close()
    rmSync(profile, { recursive: true, force: true })
  }
}
