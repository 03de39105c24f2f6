import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findTestK6 } from '../../cli/testing/test-k6.ts'
import { K6_BUILD_TIMEOUT_MS } from '../../cli/testing/run-load.ts'
import { describeEnd, expectedEnd } from './signals/end.ts'
import { interruptCommand, SIGNALS } from './signals/interrupt-command.ts'
import { K6_PHASES } from './signals/k6-phases.ts'

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

describe.runIf(process.platform !== 'win32')('a signal ends a load run with its results so far', () => {
  describe.each(SIGNALS)('%s', (signal) => {
    test.each(Object.entries(K6_PHASES))('%s', async (_name, setUp) => {
      await using phase = await setUp()
      const run = await interruptCommand({ ...phase, env: { TOUCHSTONE_K6: k6 }, signal })
      expect(describeEnd(run)).toEqual(expectedEnd(phase, signal))
    })
  })
})
