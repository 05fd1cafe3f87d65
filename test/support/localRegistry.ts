/**
 * An npm registry on a port of this machine, with the packages that are installed here. A test can run `npm install` as a
 * reader does, without the network.
 */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface Manifest {
  readonly name: string
  readonly version: string
}

export interface LocalRegistry {
  readonly url: string
  readonly close: () => Promise<void>
}

const run = promisify(execFile)

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Returns the folders of all packages below a `node_modules`, including nested ones. */
const foldersIn = (modules: string): ReadonlyArray<string> =>
  existsSync(modules)
    ? readdirSync(modules)
        .filter((name) => !name.startsWith('.'))
        .flatMap((name) =>
          name.startsWith('@')
            ? readdirSync(join(modules, name)).map((part) => join(name, part))
            : [name],
        )
        .map((name) => join(modules, name))
        .filter((folder) => existsSync(join(folder, 'package.json')))
        .flatMap((folder) => [folder, ...foldersIn(join(folder, 'node_modules'))])
    : []

/** Serves the packages of a `node_modules`, and the folder `own` as npm packs it. */
export const localRegistry = async (modules: string, own: string): Promise<LocalRegistry> => {
  const folders = [own, ...foldersIn(modules)]
  const versionsOf = (name: string): ReadonlyArray<readonly [Manifest, string]> =>
    folders
      .filter((folder) => folder === own || folder.endsWith(`node_modules/${name}`))
      .map((folder): readonly [Manifest, string] => [manifestOf(folder), folder])
      .filter(([manifest]) => manifest.name === name)

  const packument = (name: string, host: string) => {
    const versions = versionsOf(name).map(([manifest]) => {
      const tarball = `${host}/${name}/-/${manifest.version}.tgz`
      return [manifest.version, { ...manifest, scripts: {}, dist: { tarball } }] as const
    })
    const [latest] = versions[0] ?? []
    return { name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }
  }

  const tarball = async (name: string, version: string): Promise<Buffer> => {
    const [, folder = ''] = versionsOf(name).find(([one]) => one.version === version) ?? []
    if (folder === own) {
      const args = ['pack', '--ignore-scripts', '--silent']
      const { stdout } = await run('npm', args, { cwd: own })
      return readFileSync(join(own, stdout.trim()))
    }
    // everything that a program runs, and none of the thousands of files that only editors read
    const left = ['./node_modules', '*.ts', '*.map'].map((name) => `--exclude=${name}`)
    const args = ['-ch', '-I', 'gzip -1', '-f', '-', ...left, '--transform=s,^\\.,package,', '.']
    const { stdout } = await run('tar', args, {
      cwd: folder,
      encoding: 'buffer',
      maxBuffer: 2 ** 28,
    })
    return stdout
  }

  const answer = async (path: string, host: string, response: ServerResponse): Promise<void> => {
    const [name = '', version] = decodeURIComponent(path).slice(1).split('/-/')
    if (versionsOf(name).length === 0) response.writeHead(404).end('{}')
    else if (version === undefined) response.end(JSON.stringify(packument(name, host)))
    else response.end(await tarball(name, version.replace(/\.tgz$/, '')))
  }

  const server = createServer((request, response) => {
    answer(request.url ?? '', `http://${request.headers.host}`, response).catch((error: unknown) =>
      response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
