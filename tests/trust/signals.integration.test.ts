import { expect, test } from 'vitest'
import { describeEnd, expectedEnd } from './signals/end.ts'
import { interruptCommand, SIGNALS } from './signals/interrupt-command.ts'
import { LOAD_PHASES, loadWith } from './signals/load-phases.ts'
import { PHASES } from './signals/phases.ts'

const ALL_PHASES = { ...PHASES, ...LOAD_PHASES }

/** A phase of each command. The tier `suite` tests all phases with all signals. */
const SOME_PHASES = [
  'conformance, vitest: checks',
  'doctor: machine',
  'emulator: stream in progress',
  'load: build of k6',
].map((name, index) => ({ name, signal: SIGNALS[index % SIGNALS.length] ?? 'SIGTERM' }))

test.runIf(process.platform !== 'win32').each(SOME_PHASES)(
  'a signal ends a command with its results so far: $name, $signal',
  async ({ name, signal }) => {
    await using phase = await (ALL_PHASES[name] ?? expect.fail(name))()
    expect(describeEnd(await interruptCommand({ ...phase, signal }))).toEqual(expectedEnd(phase, signal))
  },
)

test.runIf(process.platform !== 'win32')('a second signal ends a command at once, and leaves nothing', async () => {
  const phase = loadWith('trap "" INT; touch "$PROGRAMS/started"; sleep 300')
  const run = await interruptCommand({ ...phase, signal: 'SIGINT', isRepeated: true })
  expect({ end: run.exitCode, left: run.left, written: run.written }).toEqual({ end: 130, left: [], written: [] })
})
