/** Pages that are wider than the window, on a phone and on a desk: all of the built site are measured by Chromium. */
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'

/** Of a phone and of a desk, in px. */
const WIDTHS = [360, 1_280]

/** For all pages, in ms: a browser that hangs is ended. */
const PATIENCE = 600_000

/** Debian calls it chromium, others add to the name. */
export const browser = ['chromium', 'chromium-browser', 'google-chrome'].find((name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => globSync(join(folder, name))[0]),
)

/** Shows one page after the other in a frame, measures it at each width, and sends what is too wide. */
const driver = (pages: ReadonlyArray<string>): string => `<!doctype html>
<iframe height="800"></iframe>
<script type="module">
const frame = document.querySelector('iframe')
const wide = []
for (const page of ${JSON.stringify(pages)}) {
  frame.width = ${WIDTHS[0]}
  await new Promise((resolve) => {
    frame.onload = resolve
    frame.src = page
  })
  for (const width of ${JSON.stringify(WIDTHS)}) {
    frame.width = width
    const { scrollWidth } = frame.contentDocument.documentElement
    if (scrollWidth > width) wide.push(page + ' is ' + scrollWidth + ' px wide at ' + width)
  }
}
await fetch('/wide', { method: 'POST', body: JSON.stringify(wide) })
</script>`

/** Resolves with how many pages there are, and with a line for each that is too wide. */
export const measureWidths = async (
  dist: string,
  program: string,
): Promise<{ readonly pages: number; readonly wide: ReadonlyArray<string> }> => {
  const pages = globSync('**/*.html', { cwd: dist }).map((name) => `/${name}`)
  const profile = mkdtempSync(join(tmpdir(), 'payments-rx-widths-'))
  let tell = (_wide: ReadonlyArray<string> | undefined): void => {}
  const told = new Promise<ReadonlyArray<string> | undefined>((resolve) => {
    tell = resolve
  })
  const site = new Hono()
    .get('/measure', (context) => context.html(driver(pages)))
    .post('/wide', async (context) => {
      tell(await context.req.json())
      return context.body(null, 204)
    })
    .use(serveStatic({ root: dist }))
  const server = serve({ fetch: site.fetch, hostname: '127.0.0.1', port: 0 })
  const chromium = await new Promise<ReturnType<typeof spawn>>((started) => {
    server.once('listening', () => {
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars']
      const own = [`--user-data-dir=${profile}`, '--remote-debugging-port=0'] // else it ends at once
      const args = [...flags, ...own, `http://127.0.0.1:${port}/measure`]
      started(spawn(program, args, { stdio: 'ignore' }))
    })
  })
  chromium.once('exit', () => tell(undefined))
  const patience = setTimeout(() => chromium.kill('SIGKILL'), PATIENCE)
  try {
    const wide = await told
    if (wide === undefined) throw new Error('Chromium ended before all pages were measured')
    return { pages: pages.length, wide }
  } finally {
    clearTimeout(patience)
    const ended = new Promise((done) => chromium.once('exit', done))
    if (chromium.exitCode === null && chromium.kill('SIGKILL')) await ended
    server.close()
    rmSync(profile, { recursive: true, force: true })
  }
}
