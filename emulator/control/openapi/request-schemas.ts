import { PARAMETERS, QUALITY_MODES, TEMPERATURE_RANGE, type Operation, MESSAGE_ROLES } from '../../../contract/facts.ts'
import { servesOperation } from '../../operations/parameters.ts'
import type { EmulatorSettings } from '../../options/settings.ts'
import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'
import { MAX_IMAGE_SIDE_PX } from '../../operations/media/image-name.ts'
import { buildOptionalProperties } from './optional-fields.ts'
import { buildObjectSchema, type OpenApiSchema } from './response-schemas.ts'

export type OperationWithBody = keyof typeof PARAMETERS

/**
 * Builds the schema of a request body. The parameters come from the specification, their ranges from the emulator's
 * options.
 */
export function buildRequestSchema(operation: OperationWithBody, settings: ModelSettings): OpenApiSchema {
  const { behaviour } = settings
  const rows: readonly Row[] = PARAMETERS[operation]
  const isForm = operation === 'transcriptions'
  const properties = rows.map((row): readonly [string, OpenApiSchema] => {
    const schema = { ...buildParameterSchema(row, operation, settings), description: row.description }
    const defaulted = row.default === undefined ? schema : { ...schema, default: row.default }
    // A form field cannot be null.
    const isNullable = !row.required && !isForm && behaviour['null-fields'] === 'absent'
    return [row.name, isNullable ? allowNull(defaulted) : defaulted]
  })
  properties.push(...Object.entries(buildOptionalProperties(operation, behaviour)))
  const quality = behaviour['quality-parameter']
  const modes = QUALITY_MODES.map(({ value }) => value)
  if (quality !== 'none') properties.push([quality, { enum: modes, description: 'Quality mode' }])
  return {
    type: 'object',
    required: rows.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(properties),
    additionalProperties: behaviour['unknown-fields'] === 'ignored',
  }
}

type ModelSettings = Pick<EmulatorSettings, 'models' | 'behaviour'>

interface Row {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly default?: unknown
  readonly description: string
}

function buildParameterSchema({ name, type }: Row, operation: Operation, settings: ModelSettings): OpenApiSchema {
  const { behaviour } = settings
  const notEmpty = behaviour['empty-text'] === 'refused' ? { minLength: 1 } : {}
  switch (name) {
    case 'model':
      return { type, enum: listModels(operation, settings) }
    case 'messages':
      return {
        type,
        items: buildMessageSchema(behaviour),
        minItems: behaviour['empty-messages'] === 'refused' ? 1 : 0,
        maxItems: behaviour['most-messages'],
      }
    case 'max_tokens':
      return { type, minimum: behaviour['least-max-tokens'], maximum: behaviour['most-max-tokens'] }
    case 'temperature':
      return { type, minimum: TEMPERATURE_RANGE.min, maximum: TEMPERATURE_RANGE.max }
    case 'n':
      return { type, minimum: behaviour['least-n'], maximum: behaviour['most-n'] }
    case 'size':
      return behaviour.sizes === 'any' ? { type, pattern: SIZE_PATTERN } : { type, enum: behaviour.sizes }
    case 'voice':
      return behaviour.voices === 'any' ? { type, ...notEmpty } : { type, enum: behaviour.voices }
    case 'prompt':
    case 'input':
      return { type, ...notEmpty }
    case 'language':
      // Form fields have no type. Clients send an array as repeated fields, of which the emulator reads the last one.
      return behaviour.language === 'any' ? { examples: ['en'] } : { type, pattern: '^[a-z]{2}$' }
    case 'file':
      return { type: 'string', format: 'binary', minLength: 1 }
    default:
      return { type }
  }
}

function listModels(operation: Operation, { models, behaviour }: ModelSettings): readonly string[] {
  return [...models.values()].filter((model) => servesOperation(model, operation, behaviour)).map(({ id }) => id)
}

/** Regular expression for an image's width or height: an integer from 1 to MAX_IMAGE_SIDE_PX without leading zeros. */
const IMAGE_SIDE_PATTERN = '(?:[1-9][0-9]{0,2}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-6])'

if (MAX_IMAGE_SIDE_PX !== 4096) throw new Error('IMAGE_SIDE_PATTERN must match MAX_IMAGE_SIDE_PX')

const SIZE_PATTERN = `^${IMAGE_SIDE_PATTERN}x${IMAGE_SIDE_PATTERN}$`

function allowNull(schema: OpenApiSchema): OpenApiSchema {
  const { description, ...rest } = schema
  return { description, anyOf: [rest, { type: 'null' }] }
}

/** Builds the schema of a chat message (section 2.3). */
function buildMessageSchema(behaviour: BehaviourOptions): OpenApiSchema {
  const roles = ROLES[behaviour.roles]
  const content = buildContentSchema(behaviour)
  const role = roles === undefined ? { type: 'string' } : { type: 'string', enum: roles }
  return {
    anyOf: [
      buildObjectSchema({ role, content }),
      {
        description: 'A message of the assistant may have no content.',
        ...buildObjectSchema({ role: { const: 'assistant' } }, { content: { anyOf: [content, { type: 'null' }] } }),
      },
    ],
  }
}

const ROLES: Readonly<Record<BehaviourOptions['roles'], readonly string[] | undefined>> = {
  documented: MESSAGE_ROLES,
  common: [...MESSAGE_ROLES, 'developer', 'tool'],
  any: undefined,
}

function buildContentSchema(behaviour: BehaviourOptions): OpenApiSchema {
  if (behaviour['content-parts'] === 'refused') return { type: 'string' }
  const items = buildObjectSchema({ type: { type: 'string' } })
  return { anyOf: [{ type: 'string' }, { type: 'array', items }] }
}
