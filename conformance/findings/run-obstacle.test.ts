import { expect, test } from 'vitest'
import { formatLibraryOption } from '../options/table-options.ts'
import type { RunObstacleParams } from './run-obstacle.ts'
import { describeFinding } from './sentences.ts'

const CHAT = { method: 'POST', path: '/v1/chat/completions' }

function describeDeath(params: Pick<RunObstacleParams['target-died'], 'aborted' | 'inFlight' | 'completed'>): string {
  const down = { actualStatus: 0, error: 'refused', answered: 298, command: 'curl x' } as const
  return describeFinding({ code: 'target-died', params: { ...down, ...params } }, formatLibraryOption)
}

test('names the options that send the requests that may have stopped the target one after another', () => {
  const inFlight = [{ ...CHAT, check: '7/no-object-chat' }]
  const completed = [
    { ...CHAT, check: '4.2/model' },
    { ...CHAT, check: '7/no-object-chat' },
  ]
  expect(describeDeath({ inFlight, completed })).toContain(
    ' To find the request that stops the service, restart the service and run again with concurrency 1 only 7/no-object-chat,4.2/model.\n',
  )
  expect(describeDeath({ inFlight, completed: [] })).toContain(
    ' Send that request again to see whether it stops the service.\nTo repeat the request in flight: curl x',
  )
})

test('names three requests and counts the others', () => {
  const inFlight = ['4.2/model', '4.2/messages', '4.2/roles', '4.2/usage', '4.2/created'].map((check) => ({
    ...CHAT,
    check,
  }))
  const text = describeDeath({ inFlight, completed: [] })
  const path = '(POST /v1/chat/completions)'
  expect(text).toContain(` In flight: 4.2/model ${path}, 4.2/messages ${path}, 4.2/roles ${path} and 2 more requests.`)
  expect(text).toContain(' only 4.2/model,4.2/messages,4.2/roles,4.2/usage,4.2/created.')
})

test('names aborted requests first', () => {
  const one = (check: string) => [{ ...CHAT, check }]
  const text = describeDeath({ aborted: one('4.2/abort'), inFlight: one('4.2/model'), completed: one('4.2/usage') })
  const path = '(POST /v1/chat/completions)'
  expect(text).toContain(` Aborted by the suite shortly before: 4.2/abort ${path}. In flight: 4.2/model ${path}.`)
  expect(text).toContain(' only 4.2/abort,4.2/model,4.2/usage.')
})

test('does not name a step of the run as a check to select', () => {
  const inFlight = [
    { ...CHAT, check: 'discover chat' },
    { ...CHAT, check: '4.2/model' },
  ]
  expect(describeDeath({ inFlight, completed: [] })).toContain('run again with concurrency 1.\n')
})

test('names a firewall as a possible reason if the target closes connections instead of refusing them', () => {
  const describe = (error: 'reset' | 'closed-early' | 'refused') =>
    describeFinding(
      { code: 'target-died', params: { actualStatus: 0, error, answered: 298, inFlight: [], completed: [] } },
      formatLibraryOption,
    )
  const firewall = ' If the service still runs, a firewall blocks this machine.'
  expect(describe('reset')).toContain(firewall)
  expect(describe('closed-early')).toContain(firewall)
  expect(describe('refused')).not.toContain('firewall')
})

test('names a rate limit as a possible reason if the target returns 503', () => {
  const describe = (actualStatus: number) =>
    describeFinding(
      { code: 'target-died', params: { actualStatus, answered: 100, inFlight: [], completed: [] } },
      formatLibraryOption,
    )
  expect(describe(503)).toMatch(
    /returned 503\. A rate limit that returns 503 instead of 429 has this effect: .* set rate to/,
  )
  expect(describe(502)).not.toContain('rate limit')
})

test('names the wait of a 429 only if the target sent Retry-After', () => {
  const describe = (retryAfterMs: number) =>
    describeFinding({ code: 'rate-limited', params: { retryAfterMs } }, formatLibraryOption)
  expect(describe(0)).toBe('The target kept returning 429. Use a key with a higher limit, or reduce concurrency to 1.')
  expect(describe(600_400)).toMatch(/^The target kept returning 429, with Retry-After: 601 s\. Use a key/)
})

test('recommends HTTP/1.1, not another certificate check, for a target that accepts only HTTP/2', () => {
  const params = { url: 'https://api.test', error: 'http-version', message: 'it accepts only HTTP/2' } as const
  const text = describeFinding({ code: 'target-unreachable', params }, formatLibraryOption)
  expect(text).toContain('Enable HTTP/1.1')
  expect(text).not.toContain('insecure')
})
