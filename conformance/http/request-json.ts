import { parseJson } from './decode-body.ts'

const parsed = new WeakMap<Uint8Array, { readonly json: unknown }>()

/** Parses the JSON of a request body like `parseJson`, once for each body. A run needs the fields of a request often. */
export function parseRequestJson(body: Uint8Array): unknown {
  const known = parsed.get(body) ?? { json: parseJson(Buffer.from(body).toString('utf8')) }
  parsed.set(body, known)
  return known.json
}
