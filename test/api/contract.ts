/** Holds what is sent and what is answered against the OpenAPI description: knows no rows, only the page. */
import { Ajv2020 } from 'ajv/dist/2020.js'

interface Described {
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
  readonly operationId: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: { readonly type?: string }
}

type Content = Readonly<Record<string, { readonly schema: object }>>

interface Answer {
  /** Left out where nothing is said of the body. */
  readonly content?: Content
}

export interface Verdict {
  readonly operation: string
  /** The contradiction to the description, in words. */
  readonly found: ReadonlyArray<string>
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const json = 'application/json'

/** Holds one exchange against the description. */
export const judge = (description: Description) => {
  const ajv = new Ajv2020({ strict: false, allowUnionTypes: true, coerceTypes: false })
  const inQuery = new Ajv2020({ strict: false, coerceTypes: 'array' })
  for (const one of [ajv, inQuery]) one.addSchema(description, 'page')

  const resolved = <A extends object>(u: A | { readonly $ref: string }): A => {
    if (!('$ref' in u)) return u
    const [kind = '', name = ''] = String(u.$ref).split('/').slice(2)
    return description.components[kind]?.[name] as A // the description was validated
  }

  const faults = (validator: Ajv2020, schema: object, u: unknown, where: string) => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"page#/'))
    validator.validate(absolute, u)
    return (validator.errors ?? []).map(
      ({ instancePath, message }) => `${where}${instancePath} ${message}`,
    )
  }

  const operationOf = (method: string, pathname: string): Described | undefined =>
    Object.entries(description.paths)
      .sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
      .find(
        ([path, methods]) =>
          method in methods && new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
      )?.[1][method]

  const asked = async (operation: Described, request: Request): Promise<ReadonlyArray<string>> => {
    const { searchParams } = new URL(request.url)
    const parameters = operation.parameters.map(resolved<Parameter>)
    const known = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
    const unknown = [...searchParams.keys()].filter((name) => !known.includes(name))
    const wrong = parameters.flatMap(({ name, in: place, required, schema }) => {
      if (place === 'path') return []
      const all = searchParams.getAll(name)
      const found =
        place === 'header' ? request.headers.get(name) : schema.type === 'array' ? all : all[0]
      if (found === null || found === undefined || found.length === 0) {
        return required ? [`${name} is missing`] : []
      }
      return faults(inQuery, { properties: { [name]: schema } }, { [name]: found }, place)
    })
    const body = operation.requestBody?.content[json]?.schema
    const text = await request.text()
    return [
      ...unknown.map((name) => `${name} is not described`),
      ...wrong,
      ...(body === undefined ? [] : faults(ajv, body, JSON.parse(text), 'body')),
    ]
  }

  const answered = async (operation: Described, response: Response) => {
    const named = operation.responses[response.status] ?? operation.responses.default
    const answer = named === undefined ? undefined : resolved<Answer>(named)
    if (answer === undefined) return [`${response.status} is not described`]
    if (answer.content === undefined) return []
    const type = response.headers.get('content-type')?.split(';')[0] ?? json
    const content = answer.content[type]
    const text = await response.text()
    if (content === undefined) return [`${type} is not described`]
    if (type !== json || text === '') return []
    return faults(ajv, content.schema, JSON.parse(text), `${response.status}`)
  }

  return async (request: Request, response: Response): Promise<Verdict> => {
    const operation = operationOf(request.method.toLowerCase(), new URL(request.url).pathname)
    if (operation === undefined) {
      return { operation: '', found: [`${request.method} ${request.url} is not described`] }
    }
    const found = [...(await asked(operation, request)), ...(await answered(operation, response))]
    return { operation: operation.operationId, found }
  }
}
