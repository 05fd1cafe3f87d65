/**
 * `npm run surface`: prints the public names of each entry of the package, types and values. Counts them twice: the sum over
 * the entries, and the number of different names, since entries share some (`InvalidOption`, `Page`).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isExportDeclaration, isExportSpecifier } from 'typescript/unstable/ast/is'
import { API, type Symbol as Exported, SymbolFlags } from 'typescript/unstable/async'

export interface PublicName {
  readonly name: string
  readonly kind: 'type' | 'value'
}

/** The public names of each subpath, such as `./stream`. */
export type Surface = ReadonlyMap<string, ReadonlyArray<PublicName>>

const root = fileURLToPath(new URL('..', import.meta.url))

/** Returns the source file of each subpath of the package: for `./stream`, `src/stream/index.ts`. */
export const entrySources = (): ReadonlyMap<string, string> => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return new Map(
    Object.entries<{ readonly default?: string }>(exports).flatMap(([path, target]) =>
      target.default === undefined
        ? []
        : [[path, join(root, target.default.replace('./dist/', 'src/').replace(/js$/, 'ts'))]],
    ),
  )
}

/** Returns true for `export type { A }` and `export { type A }`, which export no value even if `A` has one. */
const isTypeOnly = async (symbol: Exported): Promise<boolean> => {
  const specifier = await symbol.declarations[0]?.resolve()
  if (specifier === undefined || !isExportSpecifier(specifier)) return false
  const declaration = specifier.parent.parent
  return specifier.isTypeOnly || (isExportDeclaration(declaration) && declaration.isTypeOnly)
}

export const readSurface = async (): Promise<Surface> => {
  const config = join(root, 'tsconfig.build.json')
  const compiler = new API({ cwd: root })
  try {
    const snapshot = await compiler.updateSnapshot({ openProjects: [config] })
    const project = snapshot.getProject(config)
    if (project === undefined) throw new Error(`the compiler did not open ${config}`)
    const { program, checker } = project

    const namesOf = async (path: string): Promise<ReadonlyArray<PublicName>> => {
      const file = await program.getSourceFile(path)
      const module = file && (await checker.getSymbolAtLocation(file))
      if (module === undefined) throw new Error(`${path} exports nothing`)
      const symbols = await checker.getExportsOfModule(module)
      const names = await Promise.all(
        symbols.map(async (symbol): Promise<PublicName> => {
          const isAlias = (symbol.flags & SymbolFlags.Alias) !== 0
          const { flags } = isAlias ? await checker.getAliasedSymbol(symbol) : symbol
          const isValue = (flags & SymbolFlags.Value) !== 0 && !(await isTypeOnly(symbol))
          return { name: symbol.name, kind: isValue ? 'value' : 'type' }
        }),
      )
      return names.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    }

    const surface = new Map<string, ReadonlyArray<PublicName>>()
    for (const [entry, path] of entrySources()) surface.set(entry, await namesOf(path))
    return surface
  } finally {
    await compiler.close()
  }
}

/** Prints one name per line, so a change of the surface is a change of lines. */
export const showSurface = (surface: Surface): string => {
  const lines = [...surface].flatMap(([entry, names]) => [
    `${entry.replace(/^\./, 'payments-rx')}: ${names.length}`,
    ...names.map(({ name, kind }) => (kind === 'type' ? `  type ${name}` : `  ${name}`)),
    '',
  ])
  const all = [...surface.values()].flat().map(({ name }) => name)
  return [...lines, `all entries: ${all.length}, different: ${new Set(all).size}`, ''].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(showSurface(await readSurface()))
}
