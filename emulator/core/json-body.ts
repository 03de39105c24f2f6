import { isUtf8 } from 'node:buffer'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { RequestFields } from '../operations/operation.ts'
import type { ApiError } from './api-errors.ts'

/** Reads a JSON object (section 4). */
export function parseJsonObject(
  body: Buffer,
  contentType: string | undefined,
  behaviour: BehaviourOptions,
): RequestFields | ApiError {
  if (behaviour['json-media-type'] === 'required' && !/^application\/json *(;|$)/i.test(contentType ?? '')) {
    return malformedBody('The request must have the header Content-Type: application/json.')
  }
  if (!isUtf8(body)) return malformedBody('The request body is not valid UTF-8.')
  const text = body.toString('utf8')
  const plainNumbers: Record<string, string> = {}
  let value: unknown
  try {
    value = behaviour['integer-form'] === 'plain' ? parseWithSources(text, plainNumbers) : JSON.parse(text)
  } catch {
    return malformedBody('The request body is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return malformedBody('The request body must be a JSON object.')
  }
  const duplicate = behaviour['duplicate-fields'] === 'refused' ? findDuplicateField(text) : undefined
  if (duplicate !== undefined) return malformedBody(`The field '${duplicate}' stands twice in the request body.`)
  return { values: { ...value }, numberSources: plainNumbers }
}

/** Parses JSON and keeps the source text of each number, by field name. */
function parseWithSources(text: string, sources: Record<string, string>): unknown {
  const keep = (name: string, value: unknown, context: { source?: string }): unknown => {
    if (typeof value === 'number' && context.source !== undefined) sources[name] = context.source
    return value
  }
  // The third argument of a reviver is part of ECMAScript since 2025, but not yet of TypeScript's library types.
  return JSON.parse(text, keep as (name: string, value: unknown) => unknown)
}

function malformedBody(message: string): ApiError {
  return { code: 'malformed-body', message }
}

/** Matches a string, or a character that opens, closes or separates. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/** The first field name that occurs twice in one object of a valid JSON text; undefined if there is none. */
function findDuplicateField(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [] // The names seen in each open object; undefined for an array.
  let last = ''
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const name: unknown = JSON.parse(last)
      const seen = open.at(-1)
      if (seen?.has(String(name)) === true) return String(name)
      seen?.add(String(name))
    }
    last = token
  }
  return undefined
}
