import { expect, test } from 'vitest'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { runConformance } from '../run-conformance.ts'
import { offersTools } from '../mutation/change/agents.ts'
import { rejectRequests } from '../mutation/change/responses.ts'
import { startProxy } from './proxy.ts'

test('warns about a target that breaks down for tools, and fails it only in a strict run', async () => {
  await using emulator = await startEmulator()
  const proxy = await startProxy(emulator.url, rejectRequests(offersTools, 503))
  const run = (options: { readonly agents?: boolean; readonly strict?: boolean }) =>
    runConformance({
      url: proxy.url,
      keys: { funded: emulator.keys.funded },
      only: ['4.2/tools', '2.3/id'],
      ...options,
    })
  try {
    const usual = await run({})
    const withAgents = await run({ agents: true })
    const strict = await run({ agents: true, strict: true })
    const verdictOf = ({ document }: typeof usual, id: string) =>
      document.checks.find((check) => check.id === id)?.verdict
    expect(verdictOf(usual, '4.2/tools-accepted')).toBeUndefined()
    expect(verdictOf(withAgents, '4.2/tools-accepted')).toBe('warn')
    // A run with selected checks contains this check only if another request breaks down.
    expect(verdictOf(withAgents, '7/breakdown-chat')).toBeUndefined()
    expect([usual.document.verdict, withAgents.document.verdict, strict.document.verdict]).toEqual([
      'conformant',
      'conformant',
      'non-conformant',
    ])
  } finally {
    await proxy.close()
  }
})
