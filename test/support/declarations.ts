/** The declarations of the package as they are published, and what an editor shows of the names in them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { API, type Checker, type Symbol as Found, SymbolFlags } from 'typescript/unstable/async'
import { builtPackage } from './built.js'

// model

export interface Shown {
  readonly name: string
  readonly isType: boolean
  /** The text of its hover; empty without a doc comment. */
  readonly comment: string
  /** Fields of a type, or of a value. */
  readonly fields: () => Promise<ReadonlyArray<Shown>>
}

export interface Declarations {
  /** Exports of a subpath of the package, such as `./stream`. */
  readonly names: (path: string) => Promise<ReadonlyArray<Shown>>
  readonly close: () => Promise<void>
}

// constructors

const root = fileURLToPath(new URL('../..', import.meta.url))

const json = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))

/** Where the declarations of each subpath are: those of `./stream` in `./dist/stream/index.d.ts`. */
export const entries: ReadonlyMap<string, string> = new Map(
  Object.entries<{ readonly types?: string }>(json('package.json').exports).flatMap(
    ([path, { types }]) => (types === undefined ? [] : [[path, types]]),
  ),
)

/** Makes a project of the entries of the package, and resolves with its configuration. */
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

/** Takes some seconds: the package is built, and read by the compiler. */
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
  return {
    names: async (path) => {
      const file = await program.getSourceFile(join(home, entries.get(path) ?? ''))
      const module = file && (await checker.getSymbolAtLocation(file))
      if (module === undefined) throw new Error(`${path} exports nothing`)
      return shown(await checker.getExportsOfModule(module))
    },
    close: async () => {
      await compiler.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
