/** A string, or a mark that opens, closes or parts. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/**
 * The first field name that stands twice in one object of a valid JSON text; undefined when there is none.
 */
export function findDuplicateField(json: string): string | undefined {
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
