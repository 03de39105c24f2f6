import { MESSAGE_ROLES } from '../../../contract/facts.ts'
import type { Decisions } from '../../options/unspecified-behaviour/decisions.ts'
import type { Schema } from './schema.ts'

/** A request message (section 2.3), with content as it is decided. */
export function messageSchema(decisions: Decisions): Schema {
  const roles = ROLES[decisions.roles]
  const content = contentSchema(decisions)
  const role = roles === undefined ? { type: 'string' } : { type: 'string', enum: roles }
  return {
    anyOf: [
      { type: 'object', required: ['role', 'content'], properties: { role, content } },
      {
        description: 'A message of the assistant may have no content.',
        type: 'object',
        required: ['role'],
        properties: { role: { const: 'assistant' }, content: { anyOf: [content, { type: 'null' }] } },
      },
    ],
  }
}

const ROLES: Readonly<Record<Decisions['roles'], readonly string[] | undefined>> = {
  documented: MESSAGE_ROLES,
  common: [...MESSAGE_ROLES, 'developer', 'tool'],
  any: undefined,
}

function contentSchema(decisions: Decisions): Schema {
  if (decisions['content-parts'] === 'refused') return { type: 'string' }
  const part = { type: 'object', required: ['type'], properties: { type: { type: 'string' } } }
  return { anyOf: [{ type: 'string' }, { type: 'array', items: part }] }
}
