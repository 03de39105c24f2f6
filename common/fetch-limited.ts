/** Maximum time of a request, including the response, in milliseconds. */
const TIMEOUT_MS = 30_000

/** A request whose response has a limit. */
export interface LimitedRequest extends Pick<RequestInit, 'method' | 'headers' | 'body'> {
  readonly signal: AbortSignal
  /** Maximum size of the response after decompression, in bytes. */
  readonly maxBytes: number
}

/**
 * Sends a request to a server that may be another one than the user believes. Limits the time and the size of the response.
 * Does not follow a redirect, because the new server would get the header fields, such as a token.
 * @throws Error with the reason
 */
export async function fetchLimited(
  url: string,
  { signal, maxBytes, ...request }: LimitedRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(url, {
      ...request,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    return { status: response.status, text: await readText(response, maxBytes) }
  } catch (error) {
    // `fetch` itself only reports that it failed.
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error
  }
}

async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('the response is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
