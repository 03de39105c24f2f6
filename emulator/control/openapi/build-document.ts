import { KEY_PREFIX, OPERATIONS, SPEC_SHA256, ERROR_STATUSES, type Operation } from '../../../contract/facts.ts'
import { generatesContent } from '../../operations/served-operations.ts'
import type { EmulatorSettings } from '../../options/settings.ts'
import { buildRequestSchema } from './request-schemas.ts'
import { buildErrorContent, buildSuccessContent, COMMON_HEADERS, type OpenApiSchema } from './response-schemas.ts'

const SUMMARIES: Readonly<Record<Operation, string>> = {
  models: 'List available models',
  chat: 'Create a chat completion',
  images: 'Generate images from a text description',
  transcriptions: 'Transcribe audio to text',
  speech: 'Synthesize speech from text',
}

/**
 * Builds an OpenAPI 3.1 document of the /v1 operations. Endpoints, parameters and statuses come from the specification.
 * Where the specification leaves behaviour open, the document describes the emulator's options. It omits extensions.
 */
export function buildOpenApiDocument(settings: EmulatorSettings): OpenApiSchema {
  const operations = Object.entries(OPERATIONS).map(([name, { path, method }]) => {
    const operation = name as Operation // Restores the key type, which Object.entries widens to string.
    return [path, { [method.toLowerCase()]: describeOperation(operation, settings) }]
  })
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inference API, as this emulator serves it',
      version: 'v1',
      description:
        `Generated from the specification with SHA-256 ${SPEC_SHA256}. Bounds and shapes that the specification leaves open ` +
        'are options of this emulator, not properties of the service.',
    },
    servers: [{ url: settings.publicUrl ?? '/' }],
    security: [{ key: [] }],
    paths: Object.fromEntries(operations),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: `An API key: ${KEY_PREFIX} and the key body.` },
      },
    },
  }
}

function describeOperation(operation: Operation, settings: EmulatorSettings): OpenApiSchema {
  const { behaviour } = settings
  const { section, body } = OPERATIONS[operation]
  return {
    operationId: operation,
    summary: SUMMARIES[operation],
    description: `Section ${section}.`,
    ...(operation === 'models' ? {} : { requestBody: describeBody(buildRequestSchema(operation, settings), body) }),
    responses: {
      200: {
        description: 'OK',
        headers: COMMON_HEADERS,
        content: buildSuccessContent(operation, settings),
      },
      ...Object.fromEntries(ERROR_STATUSES.map((status) => [status.code, describeError(status, behaviour)])),
      ...buildOptionalResponses(operation, behaviour),
    },
  }
}

function describeBody(schema: OpenApiSchema, kind: 'json' | 'multipart' | 'none'): OpenApiSchema {
  const mediaType = kind === 'json' ? 'application/json' : 'multipart/form-data'
  return { required: true, content: { [mediaType]: { schema } } }
}

function describeError(
  { code, meaning, condition }: (typeof ERROR_STATUSES)[number],
  behaviour: EmulatorSettings['behaviour'],
): OpenApiSchema {
  const retryAfter = { 'retry-after': { description: 'Minimum wait before a retry.', schema: { type: 'string' } } }
  const hasRetryAfter = code === 429 && behaviour['retry-after'] !== 'none'
  return {
    description: `${meaning}: ${condition}`,
    headers: { ...COMMON_HEADERS, ...(hasRetryAfter ? retryAfter : {}) },
    content: buildErrorContent(behaviour),
  }
}

/** Describes the statuses 415 and 503, which section 7 does not list. The emulator sends them only if an option enables them. */
function buildOptionalResponses(operation: Operation, behaviour: EmulatorSettings['behaviour']): OpenApiSchema {
  const isUnsupported = operation === 'transcriptions' && behaviour['json-to-multipart'] === '415'
  const isOverloaded = generatesContent(operation) && behaviour['queue-full'] === '503'
  const describe = (description: string) => ({
    description,
    headers: COMMON_HEADERS,
    content: buildErrorContent(behaviour),
  })
  return {
    ...(isUnsupported ? { 415: describe('Unsupported Media Type') } : {}),
    ...(isOverloaded ? { 503: describe('Service Unavailable') } : {}),
  }
}
