/** Facts that pages of the site share: the package, and figures as `docs` states them. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export interface Figure {
  readonly value: string
  readonly label: string
  /** Link to the page that states it. */
  readonly link: string
}

export interface Facts {
  readonly version: string
  /** Oldest version of Node. */
  readonly node: string
  readonly license: string
  /** Undefined if neither the package nor the clone names one. */
  readonly repository: string | undefined
  readonly figures: {
    /** Part of the quota that is used on a steady network; nothing is refused. */
    readonly quota: Figure
    /** The same on a network with jitter. */
    readonly jittery: Figure
    readonly proof: Figure
    readonly kills: Figure
  }
}

/** Finds a row or a sentence in `docs`: the groups that match, and a link to the section. */
const stated = (row: RegExp): { readonly groups: ReadonlyArray<string>; readonly link: string } => {
  for (const page of globSync('**/*.md', { cwd: join(root, 'docs') })) {
    const text = readFileSync(join(root, 'docs', page), 'utf8')
    const match = row.exec(text)
    if (match === null) continue
    const [, heading = ''] = /^.*^##+ ([^\n]+)$/ms.exec(text.slice(0, match.index)) ?? []
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-')
    return {
      groups: match.slice(1).filter((group) => group !== undefined),
      link: `/${page.replace(/\.md$/, '')}#${anchor}`,
    }
  }
  throw new Error(`No page of docs states ${row.source}`)
}

/** Rounds down: `99.6`. */
const share = (percent: string | undefined): string =>
  `${(Math.floor(Number(percent) * 10) / 10).toFixed(1)} %`

const figures = (): Facts['figures'] => {
  const shares = stated(
    /^\| one endpoint, 2,000 \| [\d.]+, 0 \| ([\d.]+), 0 \| [\d., ]+\| ([\d.]+), [\d.]+ \|$/m,
  )
  const proof = stated(/equal, up to 10⁶ rows \| at most (\d+)|at most (\d+) requests if equal/)
  const kills = stated(/(\d+) × `kill -9` over (\d+) nights/)
  return {
    quota: {
      value: share(shares.groups[0]),
      label: 'of the rate limit used, no request refused',
      link: shares.link,
    },
    jittery: {
      value: share(shares.groups[1]),
      label: 'of the rate limit used on a network with jitter',
      link: shares.link,
    },
    proof: {
      value: `≤ ${proof.groups[0]} requests`,
      label: 'prove a table of 1,000,000 charges complete',
      link: proof.link,
    },
    kills: {
      value: `${kills.groups[0]} kills`,
      label: `in ${kills.groups[1]} nightly syncs: no row lost, none doubled`,
      link: kills.link,
    },
  }
}

/** The address of a repository as a browser opens it, without credentials. */
const webAddress = (url: string): string | undefined => {
  const [, host, path] =
    /^(?:git\+)?(?:https?|ssh|git):\/\/(?:[^@/]*@)?([\w.-]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/.exec(
      url,
    ) ??
    /^[\w-]+@([\w.-]+):(.+?)(?:\.git)?$/.exec(url) ??
    []
  return host === undefined ? undefined : `https://${host}/${path}`
}

const repositoryOf = (named: string | { readonly url: string } | undefined): string | undefined => {
  if (named !== undefined) return webAddress(typeof named === 'string' ? named : named.url)
  const { stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { cwd: root })
  return webAddress(stdout?.toString().trim() ?? '')
}

export const facts = (): Facts => {
  const { version, engines, license, repository } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  return {
    version,
    node: engines.node.replace(/^\D+/, '').replace(/\.0$/, ''),
    license,
    repository: repositoryOf(repository),
    figures: figures(),
  }
}
