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

/** Parses and keeps how each number was written, by the name of its field. */
function parseWithSources(text: string, sources: Record<string, string>): unknown {
  const keep = (name: string, value: unknown, context: { source?: string }): unknown => {
    if (typeof value === 'number' && context.source !== undefined) sources[name] = context.source
    return value
  }
  // The third argument of a reviver is in the language since 2025; its type is not in the library yet.
  return JSON.parse(text, keep as (name: string, value: unknown) => unknown)
}

function malformedBody(message: string): ApiError {
  return { code: 'malformed-body', message }
}

/** A string, or a mark that opens, closes or parts. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/**
 * The first field name that stands twice in one object of a valid JSON text; undefined when there is none.
 */
function findDuplicateField(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [] // names seen in each open object; undefined for an array
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
