import { isObject } from '../shared/response-access.ts'

/**
 * Returns whether a JSON value arrived as it was sent. Gateways with typed clients may add members that change nothing:
 * null and false for absent ones, and the index of a tool call.
 */
export function isSameValue(sent: unknown, arrived: unknown): boolean {
  if (Array.isArray(sent)) {
    const items: readonly unknown[] = sent
    return (
      Array.isArray(arrived) &&
      arrived.length === items.length &&
      items.every((item, index) => isSameValue(item, arrived[index]))
    )
  }
  if (!isObject(sent)) return sent === arrived
  return (
    isObject(arrived) && hasSameMembers(new Map(Object.entries(Object(sent))), new Map(Object.entries(Object(arrived))))
  )
}

function hasSameMembers(sent: ReadonlyMap<string, unknown>, arrived: ReadonlyMap<string, unknown>): boolean {
  return [...new Set([...sent.keys(), ...arrived.keys()])].every((name) =>
    sent.has(name) ? isSameValue(sent.get(name), arrived.get(name)) : isAddable(name, arrived.get(name)),
  )
}

function isAddable(name: string, value: unknown): boolean {
  return value === null || value === false || name === 'index'
}
