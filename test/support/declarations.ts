/** The published declarations of the package, and what an editor shows for the names in them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Node } from 'typescript/unstable/ast'
import {
  isExpressionWithTypeArguments,
  isTypeQueryNode,
  isTypeReferenceNode,
} from 'typescript/unstable/ast/is'
import { API, type Checker, type Symbol as Found, SymbolFlags } from 'typescript/unstable/async'
import { builtPackage } from './built.js'

// model

export interface Shown {
  readonly name: string
  readonly isType: boolean
  /** The text of its hover; empty if it has no doc comment. */
  readonly comment: string
  /** Fields of a type, or of a value. */
  readonly fields: () => Promise<ReadonlyArray<Shown>>
}

export interface Declarations {
  /** Exports of a subpath of the package, such as `./stream`. */
  readonly names: (path: string) => Promise<ReadonlyArray<Shown>>
  /**
   * Types that public declarations mention, directly or through each other, but that no entry exports. The types named in
   * `hidden` are not examined.
   */
  readonly nameless: (hidden: ReadonlySet<string>) => Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

// constructors

const root = fileURLToPath(new URL('../..', import.meta.url))

const json = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))

/** Returns the path of the declarations of each subpath: for `./stream`, `./dist/stream/index.d.ts`. */
export const entries: ReadonlyMap<string, string> = new Map(
  Object.entries<{ readonly types?: string }>(json('package.json').exports).flatMap(
    ([path, { types }]) => (types === undefined ? [] : [[path, types]]),
  ),
)

/** Creates a project of the package's entries, and resolves with its configuration. */
const projectOf = (folder: string, home: string): string => {
  const { compilerOptions } = json('tsconfig.json')
  const files = [...entries.values()].map((entry) => join(home, entry))
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions, files }))
  return config
}

const TYPE = SymbolFlags.Interface | SymbolFlags.TypeAlias | SymbolFlags.Class

const shownBy = (checker: Checker) => {
  const shown = async (found: Found): Promise<Shown> => {
    const isAgain = (found.flags & SymbolFlags.Alias) !== 0
    const own = isAgain ? await checker.getAliasedSymbol(found) : found
    const isType = (own.flags & TYPE) !== 0
    const fields = async (): Promise<ReadonlyArray<Shown>> => {
      const type = await (isType
        ? checker.getDeclaredTypeOfSymbol(own)
        : checker.getTypeOfSymbol(own))
      return type === undefined ? [] : all(await checker.getPropertiesOfType(type))
    }
    return { name: found.name, isType, comment: await own.getDocumentationComment(checker), fields }
  }
  const all = (found: ReadonlyArray<Found>) => Promise.all(found.map(shown))
  return all
}

const resolved = async (checker: Checker, found: Found): Promise<Found> =>
  (found.flags & SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(found) : found

/** Returns the types that a declaration mentions. A base type needs no name itself, because its fields are examined instead. */
const mentionedBy = async (checker: Checker, declared: Found) => {
  const names: Array<{ readonly node: Node; readonly isBase: boolean }> = []
  const walk = (node: Node): void => {
    if (isTypeReferenceNode(node)) names.push({ node: node.typeName, isBase: false })
    if (isTypeQueryNode(node)) names.push({ node: node.exprName, isBase: true })
    if (isExpressionWithTypeArguments(node)) names.push({ node: node.expression, isBase: true })
    node.forEachChild(walk)
  }
  for (const handle of declared.declarations) {
    const node = await handle.resolve()
    if (node !== undefined) walk(node)
  }
  const found = await checker.getSymbolAtLocation(names.map(({ node }) => node))
  return Promise.all(
    found.flatMap((symbol, n) =>
      symbol === undefined
        ? []
        : [resolved(checker, symbol).then((own) => ({ own, isBase: names[n]?.isBase === true }))],
    ),
  )
}

const namelessBeside = async (
  checker: Checker,
  exported: ReadonlyMap<number, Found>,
  isHidden: (found: Found) => boolean,
): Promise<ReadonlyArray<string>> => {
  const nameless = new Set<string>()
  const seen = new Set(exported.keys())
  const rest = [...exported.values()]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    for (const { own, isBase } of await mentionedBy(checker, next)) {
      if (exported.has(own.id) || isHidden(own)) continue
      if ((own.flags & TYPE) !== 0 && !isBase) nameless.add(own.name)
      if (!seen.has(own.id)) rest.push(own)
      seen.add(own.id)
    }
  }
  return [...nameless].sort()
}

/** Takes some seconds, because the package is built and read by the compiler. */
export const declarations = async (): Promise<Declarations> => {
  const home = await builtPackage()
  const folder = mkdtempSync(join(tmpdir(), 'payments-rx-declarations-'))
  const config = projectOf(folder, home)
  const compiler = new API({ cwd: folder })
  const snapshot = await compiler.updateSnapshot({ openProjects: [config] })
  const project = snapshot.getProject(config)
  if (project === undefined) throw new Error(`the compiler did not open ${config}`)
  const { program, checker } = project
  const shown = shownBy(checker)
  const exportsOf = async (path: string): Promise<ReadonlyArray<Found>> => {
    const file = await program.getSourceFile(join(home, entries.get(path) ?? ''))
    const module = file && (await checker.getSymbolAtLocation(file))
    if (module === undefined) throw new Error(`${path} exports nothing`)
    return checker.getExportsOfModule(module)
  }
  return {
    names: async (path) => shown(await exportsOf(path)),
    nameless: async (hidden) => {
      const all = (await Promise.all([...entries.keys()].map(exportsOf))).flat()
      const own = await Promise.all(all.map((one) => resolved(checker, one)))
      const exported = new Map(own.map((one) => [one.id, one]))
      const dist = join(home, 'dist').toLowerCase() // in the way the compiler may write it
      return namelessBeside(
        checker,
        exported,
        ({ name, declarations }) =>
          hidden.has(name) || !declarations[0]?.path.toLowerCase().startsWith(dist),
      )
    },
    close: async () => {
      await compiler.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
