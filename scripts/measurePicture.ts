/**
 * `npm run picture`: the picture of docs/measure.md. Runs the built command with its peers, and has Chromium photograph
 * the report. `CHROMIUM` names the browser.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'payments-rx-picture-'))
const report = join(folder, 'bench.html')

const bench = [join(root, 'dist/cli/main.js'), 'bench', 'read', '--peers', '--report', report]
execFileSync(process.execPath, bench, { cwd: root, stdio: 'inherit' })

const shot = [
  ...['--headless', '--no-sandbox', '--hide-scrollbars', '--window-size=880,1500'],
  ...[`--screenshot=${join(root, 'docs/measure.png')}`, pathToFileURL(report).href],
]
execFileSync(process.env.CHROMIUM ?? 'chromium', shot, { stdio: 'ignore' })
rmSync(folder, { recursive: true })
