import { EMBEDDING_PARAMETERS } from '../../extensions/embeddings.ts'
import { RESPONSE_PARAMETERS } from '../../extensions/responses/prepare-response.ts'
import { DEFAULT_ITEMS, MAX_ITEMS } from '../../extensions/responses/retrieve-response.ts'
import { EXTENSIONS, type ExtensionName } from '../../operations/served-operations.ts'
import type { EmulatorSettings } from '../../options/settings.ts'
import { buildErrorContent, buildObjectSchema, COMMON_HEADERS, type OpenApiSchema } from './response-schemas.ts'

interface Row {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly default?: unknown
  readonly isIgnored?: boolean
}

interface ExtensionDescription {
  readonly summary: string
  readonly parameters: readonly Row[]
  readonly response: Readonly<Record<string, OpenApiSchema>>
  readonly isStreamed: boolean
}

const DESCRIPTIONS: Readonly<Record<ExtensionName, ExtensionDescription>> = {
  responses: {
    summary: 'Create a response',
    parameters: RESPONSE_PARAMETERS,
    response: { id: { type: 'string' }, object: { const: 'response' }, output: { type: 'array' } },
    isStreamed: true,
  },
  embeddings: {
    summary: 'Create embeddings',
    parameters: EMBEDDING_PARAMETERS,
    response: { object: { const: 'list' }, data: { type: 'array' } },
    isStreamed: false,
  },
}

const DESCRIPTION = 'An extension of this emulator. Not part of the specification.'

/** Descriptions of the error statuses of section 7 that extensions also return. */
const ERROR_DESCRIPTIONS = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
}

/**
 * Builds the OpenAPI path item of an operation outside the specification. Includes the types of its parameters, but not
 * their nested fields.
 */
export function buildExtensionPathItem(
  extension: ExtensionName,
  { models, behaviour }: EmulatorSettings,
): readonly [path: string, item: OpenApiSchema] {
  const { path, method } = EXTENSIONS[extension]
  const { summary, parameters, response, isStreamed } = DESCRIPTIONS[extension]
  const schema = {
    type: 'object',
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(parameters.map((row) => [row.name, buildSchema(row, [...models.keys()])])),
  }
  const item = {
    operationId: extension,
    summary,
    description: DESCRIPTION,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: buildResponses(response, behaviour, isStreamed),
  }
  return [path, { [method.toLowerCase()]: item }]
}

/** Builds the OpenAPI path items of the operation that reads and deletes stored responses. */
export function buildStoredResponsePathItems({ behaviour }: EmulatorSettings): Readonly<Record<string, OpenApiSchema>> {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const describe = (
    operationId: string,
    summary: string,
    response: Readonly<Record<string, OpenApiSchema>>,
    parameters: readonly OpenApiSchema[] = [],
  ) => ({
    operationId,
    summary,
    description: DESCRIPTION,
    parameters: [id, ...parameters],
    responses: buildResponses(response, behaviour, false),
  })
  const query = (name: string, schema: OpenApiSchema) => ({ name, in: 'query', schema })
  const page = [
    query('limit', { type: 'integer', minimum: 1, maximum: MAX_ITEMS, default: DEFAULT_ITEMS }),
    query('order', { enum: ['asc', 'desc'], default: 'desc' }),
    query('after', { type: 'string' }),
  ]
  const { path } = EXTENSIONS.responses
  const deleted = { id: { type: 'string' }, deleted: { const: true } }
  const list = { object: { const: 'list' }, data: { type: 'array' }, has_more: { type: 'boolean' } }
  return {
    [`${path}/{id}`]: {
      get: describe('retrieve-response', 'Read a stored response', DESCRIPTIONS.responses.response),
      delete: describe('delete-response', 'Delete a stored response', deleted),
    },
    [`${path}/{id}/input_items`]: {
      get: describe('input-items', 'List the input items of a stored response', list, page),
    },
  }
}

function buildResponses(
  response: Readonly<Record<string, OpenApiSchema>>,
  behaviour: EmulatorSettings['behaviour'],
  isStreamed: boolean,
): OpenApiSchema {
  const overloaded = behaviour['queue-full'] === '503' ? { 503: 'Service Unavailable' } : {}
  const errors = Object.entries({ ...ERROR_DESCRIPTIONS, ...overloaded }).map(([status, description]) => [
    status,
    { description, headers: COMMON_HEADERS, content: buildErrorContent(behaviour) },
  ])
  return {
    200: {
      description: 'OK',
      headers: COMMON_HEADERS,
      content: {
        'application/json': { schema: buildObjectSchema(response) },
        ...(isStreamed ? { 'text/event-stream': {} } : {}),
      },
    },
    ...Object.fromEntries(errors),
  }
}

function buildSchema(row: Row, models: readonly string[]): OpenApiSchema {
  const { name, type, required, isIgnored = false } = row
  if (name === 'model') return { type, enum: models }
  const described = isIgnored ? { description: 'Has no effect.' } : {}
  if (type === 'json') return described
  const schema = row.default === undefined ? { type } : { type, default: row.default }
  return required ? { ...described, ...schema } : { ...described, anyOf: [schema, { type: 'null' }] }
}
