import { expect, test, vi } from 'vitest'
import { findRunnerCommands, RUNNER_COMMANDS } from '../../common/testing/runner-commands.ts'
import { logException } from './events.ts'

test('prints an exception whose text comes from a client, without a command of a CI runner', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  logException('req-1', new Error(RUNNER_COMMANDS.join('\n')))
  const printed = write.mock.calls.map(([text]) => String(text)).join('')
  write.mockRestore()
  expect(printed).toMatch(/^touchstone emulator: unexpected failure of req-1: Error: \\u\{23\}#\[add-mask\]x\n/)
  expect(findRunnerCommands(printed)).toEqual([])
})
