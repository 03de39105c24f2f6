import { TOKEN_HEADER } from '../control-token.ts'

/** Where the control interface of an emulator is reached. */
export interface ControlEndpoint {
  /** Up to and with `/__emulator`. */
  readonly url: string
  /** Opens it where the emulator was started with one. */
  readonly token?: string | undefined
}

/** It answers at once, whatever the latency of the emulator is: longer means that nothing will come. */
const TIME_LIMIT_MS = 20_000

/**
 * Asks the control interface of an emulator.
 * @param path what follows `/__emulator`, e.g. `/accounts`
 * @returns the JSON that it answers; undefined where there is none
 * @throws Error with one sentence when nothing answers, or the answer is a refusal
 */
export async function requestControl(
  place: ControlEndpoint,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const { url, token } = place
  const response = await fetch(url + path, {
    method,
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
    headers: {
      ...(token === undefined ? {} : { [TOKEN_HEADER]: token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error(`Nothing answered at ${url}. Has the emulator been stopped?`, { cause })
  })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`The emulator refused ${method} ${path} (${response.status}): ${extractReason(text)}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** The control interface puts a refusal into words: `{"error": "<sentence>"}`. What stands between may answer otherwise. */
function extractReason(text: string): string {
  try {
    const { error }: { error?: unknown } = Object(JSON.parse(text))
    if (typeof error === 'string') return error
  } catch {
    // Shown as it is.
  }
  return text.slice(0, 200)
}
