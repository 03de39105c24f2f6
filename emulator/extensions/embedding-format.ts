/** Encodes a vector as little-endian 32-bit floating-point numbers in Base64. */
export function encodeVector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, component] of vector.entries()) bytes.writeFloatLE(component, index * 4)
  return bytes.toString('base64')
}

/**
 * Encodes the vectors of an embeddings object in Base64. SDKs request Base64 by default, and then cannot read lists of
 * numbers.
 * @returns the body unchanged if it is not an embeddings object
 */
export function encodeVectors(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('data' in body) || !Array.isArray(body.data)) return body
  const data = body.data.map((item: unknown) => {
    if (typeof item !== 'object' || item === null || !('embedding' in item) || !isVector(item.embedding)) return item
    return { ...item, embedding: encodeVector(item.embedding) }
  })
  return { ...body, data }
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((component) => typeof component === 'number')
}
