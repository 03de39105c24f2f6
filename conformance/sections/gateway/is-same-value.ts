import { getItems, getMember, isObject } from '../shared/response-access.ts'

/** A part of a JSON value that did not arrive as it was sent. */
export interface Difference {
  /** Path of the part, such as `tools[0].function.name`. */
  readonly path: string
  readonly sent: unknown
  readonly arrived: unknown
}

/** Finds a part of a JSON value that changed. Gateways may add null, false, and the index of a tool call. */
export function findDifference(path: string, sent: unknown, arrived: unknown): Difference | undefined {
  const difference = { path, sent, arrived }
  if (Array.isArray(sent)) {
    const items = getItems(arrived)
    if (!Array.isArray(arrived) || items.length !== sent.length) return difference
    return findFirst(sent, ([index, item]) => findDifference(`${path}[${index}]`, item, items[Number(index)]))
  }
  if (!isObject(sent)) return sent === arrived ? undefined : difference
  if (!isObject(arrived)) return difference
  return findFirst({ ...Object(sent), ...Object(arrived) }, ([name]) => {
    const [before, after] = [getMember(sent, name), getMember(arrived, name)]
    return before === undefined && isAddable(name, after) ? undefined : findDifference(`${path}.${name}`, before, after)
  })
}

export function isSameValue(sent: unknown, arrived: unknown): boolean {
  return findDifference('', sent, arrived) === undefined
}

function findFirst(
  value: object,
  find: (entry: readonly [string, unknown]) => Difference | undefined,
): Difference | undefined {
  for (const entry of Object.entries(value)) {
    const found = find(entry)
    if (found !== undefined) return found
  }
  return undefined
}

function isAddable(name: string, value: unknown): boolean {
  return value === null || value === false || name === 'index'
}
