/** What stands between a generator and a target that it cannot load. */
const WAIT_MS = 10_000

/**
 * Asks a target for its models, once: nothing is loaded that does not answer or does not let us in.
 * @returns one sentence that says what is wrong, or undefined
 */
export async function findTargetProblem(target: string, key: string | undefined): Promise<string | undefined> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  let status: number
  try {
    const answer = await fetch(`${target}/v1/models`, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(WAIT_MS),
    })
    status = answer.status
    await answer.arrayBuffer()
  } catch (error) {
    return `Nothing usable answered at ${target} (${wordsFor(error)}): is the service running there? Without --target the emulator is started.`
  }
  if (status === 401 || status === 403) {
    return key === undefined
      ? `${target} asks for a key: give one with --key or TOUCHSTONE_KEY.`
      : `${target} refused the key (${status}): give one that is valid with --key or TOUCHSTONE_KEY.`
  }
  return undefined
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  UND_ERR_SOCKET: 'connection closed before an answer',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'host unreachable',
}

function wordsFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${WAIT_MS / 1000} s`
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return WORDS[code] ?? (code === '' ? error.message : code)
}
