import { describe, expect, test } from 'vitest'
import { createFaultHandler, type InjectedFault } from './faulty-proxy.ts'
import { runWithInvalidKeyHandler } from './run-with-invalid-keys.ts'

/** Number of requests with invalid keys after which the gateway bans the client. */
const MAX_INVALID_KEYS = 5

describe('a gateway that bans clients with invalid keys', () => {
  const bans: readonly { readonly ban: InjectedFault; readonly of: RegExp; readonly remark: string }[] = [
    { ban: 403, of: /^/, remark: 'target-blocked' },
    { ban: 'reset', of: /chat/, remark: 'target-blocked' },
    { ban: 'reset', of: /^/, remark: 'target-died' },
  ]
  test.each(bans)('a ban by $ban of requests that match $of ends the run without a failure', async (one) => {
    const run = await runWithInvalidKeyHandler(({ url = '' }, { invalid }) =>
      invalid > MAX_INVALID_KEYS && one.of.test(url) ? createFaultHandler(one.ban) : undefined,
    )
    expect(run).toMatchObject({ exitCode: 3, remarks: [one.remark], failed: [] })
  })
})
