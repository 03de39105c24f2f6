import { fieldKind, parseRule } from './read-rule.ts'
import type { FaultRule } from './rule.ts'

/**
 * Reads one rule as it stands in a flag or a header field: `operation=chat,times=2,status=500`, a bare name for what is
 * only true (`drop`), or JSON, which a value with a comma needs.
 * @returns the rule, or one sentence that says what is wrong
 */
export function parseRuleText(text: string): FaultRule | string {
  return parseRule(text.trimStart().startsWith('{') ? parseJson(text) : parsePairs(text))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parsePairs(text: string): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null) // so that a field named __proto__ is an unknown field
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=')
    const name = (equals === -1 ? pair : pair.slice(0, equals)).trim()
    fields[name] = equals === -1 ? true : parseFieldValue(name, pair.slice(equals + 1).trim())
  }
  return fields
}

function parseFieldValue(name: string, text: string): unknown {
  const kind = fieldKind(name)
  if (kind === 'number') return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (kind === 'flag') return text === 'true' ? true : text
  return text
}
