import { expect, test } from 'vitest'
import type { ApiRequest } from '../../requests/api-request.ts'
import { authenticationChecks } from './authentication.ts'
import { withOtherLastCharacter } from './invalid-credentials.ts'
import { createScriptedContext, createScriptedResult } from '../../prove/no-evidence-targets/scripted-context.ts'

test('only requests with a valid key and the scheme Bearer, in any letter case, count towards the limit of the funded key', async () => {
  const requests: ApiRequest[] = []
  const context = createScriptedContext(createScriptedResult, (request) => requests.push(request))
  const funded = `Bearer ${context.keys.funded}`
  for (const check of authenticationChecks) {
    if (check.id !== '5/no-header-kept-connection') await check.run(context)
  }
  const others = requests.filter(({ headers }) => headers['authorization']?.replace('bearer', 'Bearer') !== funded)
  expect(others.length).toBeGreaterThan(50)
  expect(others.filter(({ key }) => key === 'funded').map(({ path, headers }) => [path, headers])).toEqual([])
  expect(requests.filter(({ key }) => key === 'funded').length).toBeGreaterThan(50)
})

test.each([
  ['sk-svc-test-1', 'sk-svc-test-A'],
  ['sk-svc-abca', 'sk-svc-abcb'],
  ['sk-svc-abcZ', 'sk-svc-abcA'],
])('the key with another last character is no other numbered key of the owner: %s', (key, other) => {
  expect(withOtherLastCharacter(key)).toBe(other)
})
