import { describe, expect, test } from 'vitest'
import { interruptCommand } from './signals/interrupt-command.ts'
import { describeEnd, expectedEnd } from './signals/end.ts'
import { LOAD_PHASES, loadWith } from './signals/load-phases.ts'
import { PHASES } from './signals/phases.ts'
import { withSignals } from './signals/with-signals.ts'

const ALL_PHASES = { ...PHASES, ...LOAD_PHASES }

describe.runIf(process.platform !== 'win32').concurrent('a signal ends a command with its results so far', () => {
  test.each(withSignals(Object.entries(ALL_PHASES)))('%s, %s', async (_name, signal, setUp) => {
    await using phase = await setUp()
    expect(describeEnd(await interruptCommand({ ...phase, signal }))).toEqual(expectedEnd(phase, signal))
  })
})

describe.runIf(process.platform !== 'win32').concurrent('a signal to npm ends the command of a script', () => {
  const phases = [
    'conformance: checks',
    'init: observations',
    'doctor: machine',
    'prove: mutants',
    'report: documents',
    'emulator: stream in progress',
    'load: build of k6',
    'load: k6',
  ]
  const setUps = phases.map((name) => [name, ALL_PHASES[name] ?? expect.fail(name)] as const)
  test.each(withSignals(setUps))('%s, %s', async (_name, signal, setUp) => {
    await using phase = await setUp()
    const [command = '', ...args] = phase.args
    const program = ['npm', 'run', '--silent', command, '--']
    const run = await interruptCommand({ ...phase, args, program, signal })
    // npm ends at once after SIGHUP, and does not wait for the command.
    const exitCode = signal === 'SIGHUP' ? 'signal' : phase.exitCode
    expect(describeEnd(run)).toEqual(expectedEnd({ ...phase, exitCode }, signal))
  })
})

test.runIf(process.platform !== 'win32')('a second signal ends a command at once, and leaves nothing', async () => {
  const phase = loadWith('trap "" INT; touch "$PROGRAMS/started"; sleep 300')
  const run = await interruptCommand({ ...phase, signal: 'SIGINT', isRepeated: true })
  expect({ end: run.exitCode, left: run.left, written: run.written }).toEqual({ end: 130, left: [], written: [] })
})
