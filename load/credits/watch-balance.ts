import {
  type EmulatorAddress,
  type LoggedRequest,
  readBalance,
  readLastLogSeq,
  readRequestLog,
  waitUntilIdle,
} from '../target/emulator-client.ts'

/** Balance of an account at the emulator before and after a run. */
export interface Balances {
  /** In credits, as a decimal string. */
  readonly before: string
  readonly after: string
  /** True if other clients used the account during the run, so that the difference contains their charges. */
  readonly isShared: boolean
}

/** Reads the balance of an account again after a run. Returns null if the emulator does not report it. */
export type BalanceWatch = (ownIds: ReadonlySet<string | null>) => Promise<Balances | null>

/**
 * Reads the balance of a key's account before a run.
 * @returns a function that reads it again after the run, and takes the request IDs of the run
 * @throws Error if the emulator rejects the request; also thrown by the returned function
 */
export async function watchBalance(emulator: EmulatorAddress, key: string): Promise<BalanceWatch> {
  const before = await readBalance(emulator, key)
  if (before === undefined) return () => Promise.resolve(null)
  const lastSeq = await readLastLogSeq(emulator)
  return async (ownIds) => {
    const after = await readBalance(emulator, key)
    if (after === undefined) return null
    // The log is read last, so that it contains every request that changed the balance and is still in the log.
    const isIdle = await waitUntilIdle(emulator, 0)
    return { before, after, isShared: !isIdle || hasOtherCharges(await readRequestLog(emulator, lastSeq), ownIds) }
  }
}

/** Returns whether a log contains charges to an account of the run for requests that the run did not send. */
export function hasOtherCharges(
  log: readonly Pick<LoggedRequest, 'id' | 'account' | 'charged'>[],
  ownIds: ReadonlySet<string | null>,
): boolean {
  const accounts = new Set(log.filter(({ id }) => ownIds.has(id)).map(({ account }) => account))
  return log.some(({ id, account, charged }) => !ownIds.has(id) && accounts.has(account) && Number(charged) > 0)
}
