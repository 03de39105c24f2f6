import { type LoggedRequest, readRequestLog, waitUntilIdle } from '../target/emulator-client.ts'

/**
 * Returns whether other clients used the account of a run at the emulator during the run. Their charges are part of the
 * difference between the balances before and after the run.
 *
 * Must be called after the balance was read, so that the log contains every request that changed it. Considers the
 * requests that the emulator still has in its log.
 * @param ownIds request IDs of the run
 * @param afterSeq last sequence number of the request log before the run
 * @throws Error if the emulator rejects the request
 */
export async function isAccountShared(
  target: string,
  ownIds: ReadonlySet<string | null>,
  afterSeq: number,
): Promise<boolean> {
  const isIdle = await waitUntilIdle(target, 0)
  return !isIdle || hasOtherCharges(await readRequestLog(target, afterSeq), ownIds)
}

/** Returns whether a log contains charges to an account of the run for requests that the run did not send. */
export function hasOtherCharges(
  log: readonly Pick<LoggedRequest, 'id' | 'account' | 'charged'>[],
  ownIds: ReadonlySet<string | null>,
): boolean {
  const accounts = new Set(log.filter(({ id }) => ownIds.has(id)).map(({ account }) => account))
  return log.some(({ id, account, charged }) => !ownIds.has(id) && accounts.has(account) && Number(charged) > 0)
}
