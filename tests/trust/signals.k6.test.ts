import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findTestK6 } from '../../cli/testing/test-k6.ts'
import { K6_BUILD_TIMEOUT_MS } from '../../cli/testing/run-load.ts'
import { describeEnd, expectedEnd } from './signals/end.ts'
import { interruptCommand } from './signals/interrupt-command.ts'
import { K6_PHASES } from './signals/k6-phases.ts'
import { withSignals } from './signals/with-signals.ts'

let k6 = ''
let missing: string | undefined

beforeAll(async () => {
  const found = await findTestK6()
  if ('problem' in found) missing = found.problem
  else k6 = found.path
}, K6_BUILD_TIMEOUT_MS)

beforeEach((context) => {
  context.skip(missing !== undefined, missing)
})

describe.runIf(process.platform !== 'win32').concurrent('a signal ends a load run with its results so far', () => {
  test.each(withSignals(Object.entries(K6_PHASES)))('%s, %s', async (_name, signal, setUp) => {
    await using phase = await setUp()
    const run = await interruptCommand({ ...phase, env: { TOUCHSTONE_K6: k6 }, signal })
    expect(describeEnd(run)).toEqual(expectedEnd(phase, signal))
  })
})
