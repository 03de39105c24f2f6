import { setTimeout as sleep } from 'node:timers/promises'

export interface RequestAttempt {
  /** Aborted when the result of the other attempt is final. */
  readonly signal: AbortSignal
  readonly isSecond: boolean
}

/**
 * Sends a request, and sends it again in parallel if the first attempt takes longer than `delayMs`. Resolves with the
 * first final result, and aborts the other attempt. If neither result is final, resolves with the later one.
 * @param isFinal returns whether to use a result without waiting for the other attempt
 */
export async function sendWithSecondAttempt<Result>(
  send: (one: RequestAttempt) => Promise<Result>,
  delayMs: number,
  isFinal: (result: Result) => boolean,
): Promise<Result> {
  const ended = new AbortController()
  const first = send({ signal: ended.signal, isSecond: false })
  const isDone = await Promise.race([
    first.then(() => true),
    sleep(delayMs, false, { signal: ended.signal }).catch(() => true),
  ])
  if (isDone) {
    ended.abort()
    return first
  }
  const tries = [first, send({ signal: ended.signal, isSecond: true })]
  let last = await Promise.race(tries.map(async (one, index) => ({ index, result: await one })))
  if (!isFinal(last.result)) last = { index: 1 - last.index, result: await (tries[1 - last.index] ?? first) }
  ended.abort()
  return last.result
}
