import type { StreamEvent } from '../http/exchange.ts'
import { parseJson } from '../http/decode-body.ts'

/** When the first token of a stream arrived. */
export interface FirstToken {
  /** Milliseconds from the start of the request. */
  readonly atMs: number
  /** True where the chunks are of no shape that is known, so that the first event stands for the first token. */
  readonly isFirstEvent: boolean
}

/**
 * The first event whose choices carry a text that is not empty: neither the headers nor a chunk with the role alone is a
 * token. Undefined where the chunks are of that shape and carry none, or where there are no events.
 */
export function firstToken(events: readonly StreamEvent[]): FirstToken | undefined {
  const contents = events.map(({ data }) => contentOf(parseJson(data)))
  const index = contents.findIndex((content) => typeof content === 'string')
  const first = events[index]
  if (first !== undefined) {
    return { atMs: first.atMs, isFirstEvent: false }
  }
  const isKnown = contents.some((content) => content !== undefined)
  return isKnown || events[0] === undefined ? undefined : { atMs: events[0].atMs, isFirstEvent: true }
}

/** The first content that is not empty; null where the deltas have none, undefined where there is no delta. */
function contentOf(json: unknown): unknown {
  const choices = memberOf(json, 'choices')
  const deltas = Array.isArray(choices) ? choices.map((choice) => memberOf(choice, 'delta')) : []
  const known = deltas.filter((delta) => typeof delta === 'object' && delta !== null)
  return known.length === 0 ? undefined : (known.map((delta) => memberOf(delta, 'content')).find(Boolean) ?? null)
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}
