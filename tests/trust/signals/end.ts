import { expect } from 'vitest'
import type { InterruptedCommand } from './interrupt-command.ts'
import type { Phase } from './phase.ts'

/** Selects the properties of an interrupted command that a test compares. */
export function describeEnd({ exitCode, signalCode, output, written, left }: InterruptedCommand) {
  return {
    end: signalCode ?? exitCode,
    output,
    documents: written.filter((name) => name.endsWith('.json')),
    left,
    misleading: /Cannot reach|no response within| {4}at /.exec(output)?.[0],
  }
}

/** Returns the expected end of a phase, in the form of {@link describeEnd}. */
export function expectedEnd({ exitCode, words = '', document }: Phase, signal: NodeJS.Signals) {
  return {
    end: exitCode === 'signal' ? signal : exitCode,
    output: expect.stringContaining(words),
    documents: document === undefined ? [] : [document],
    left: [],
    misleading: undefined,
  }
}
