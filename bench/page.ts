/** The tour as a page that loads nothing and runs no scripts, with figures, and bars of each contender next to ours. */
import { type Conditions, inWords } from './conditions.ts'
import { figure, type Result } from './result.ts'
import type { Ran } from './runSuite.ts'
import type { Suite } from './suites.ts'

export interface Visit {
  readonly suite: Suite
  readonly peers: ReadonlyArray<string>
  readonly runs: ReadonlyArray<Ran>
  /** The server that the suite requires, if it was not found. */
  readonly missing?: string
}

export interface Tour {
  readonly conditions: Conditions
  readonly seconds: number
  readonly visits: ReadonlyArray<Visit>
}

const STYLE = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1c1f23; --faint: #5b6470; --rule: #d9dee5;
  --ours: #1f5fbf; --floor: #0b6b3a; --peer: #a0a9b5; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e6e9ed; --faint: #a0a9b5; --rule: #353c45;
  --ours: #7db3ff; --floor: #5ed394; --peer: #5b6470; --bad: #ff8a80; } }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 60rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2.5rem 0 0; } h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .25rem 0; } .faint { color: var(--faint); font-size: .9rem; } .bad { color: var(--bad); font-weight: 600; }
pre { overflow-x: auto; }
dl { display: grid; grid-template-columns: minmax(8rem, 16rem) 1fr; gap: .15rem .75rem; margin: 0; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
dt { overflow-wrap: anywhere; } dd { margin: 0; display: flex; align-items: center; gap: .5rem; }
dd i { height: .8rem; min-width: 1px; border-radius: .15rem; background: var(--peer); flex: none; }
.ours { font-weight: 600; } dd.ours i { background: var(--ours); } dd.floor i { background: var(--floor); }
`

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const text = (given: string): string => given.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? '')

/** Length of the longest bar, in percent of the line. */
const LONGEST = 70

const bars = ({ subject, unit, better, contenders }: Result): string => {
  const most = Math.max(...contenders.map(({ value }) => value))
  const rows = contenders.map(({ name, role, value }) => {
    const width = ((value / most) * LONGEST).toFixed(1)
    return `<dt class="${role}">${text(name)}</dt><dd class="${role}"><i style="width:${width}%"></i>${figure(value)}</dd>`
  })
  return `<h3>${text(subject)}</h3><p class="faint">${text(unit)}, ${better} is better</p><dl>${rows.join('\n')}</dl>`
}

const section = ({ suite, peers, runs, missing }: Visit): string => {
  const failures = runs.filter(({ status }) => status !== 0)
  return `<section><h2>${suite.name}</h2>
<p>${text(suite.question)}</p>
<p class="faint">Floor: ${text(suite.floor)}. Peers: ${text(peers.join(', ') || 'none')}. Seeds: ${text(suite.seeds)}.</p>
${missing === undefined ? '' : `<p class="bad">Skipped: there is no ${missing}.</p>`}
${failures.map(({ args, tail }) => `<p class="bad">${text(args.join(' '))} failed</p><pre>${text(tail)}</pre>`).join('\n')}
${runs.flatMap(({ results }) => results.map(bars)).join('\n')}
</section>`
}

/** Returns the whole page. */
export const pageOf = ({ conditions, seconds, visits }: Tour): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>payments-rx benchmarks</title><style>${STYLE}</style></head><body>
<h1>payments-rx benchmarks</h1>
<p>${text(inWords(conditions))}</p>
<p class="faint">${text(conditions.date)}, ${seconds} s. Machines are noisy: look at how contenders of one run compare.
Each suite by itself, at its full length: <code>npm run bench -- NAME</code>.</p>
${visits.map(section).join('\n')}
</body></html>
`
