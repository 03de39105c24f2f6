import { expect, test } from 'vitest'
import type { ObservedFact } from './facts.ts'
import { describeValue, getObservedValue, matchesDeclaredValue, type ObservedValue } from './observed-value.ts'

test.each<[ObservedFact, ObservedValue, string]>([
  [{ kind: 'response', actualStatus: 200 }, 'accepted', 'accepted'],
  [{ kind: 'response', actualStatus: 405 }, { rejected: 405 }, 'rejected with 405'],
  [{ kind: 'response', actualStatus: 308 }, { rejected: 308 }, 'rejected with 308'],
  [{ kind: 'prompt-tokens', actualStatus: 200, promptTokens: 12 }, 'accepted', 'accepted'],
  [{ kind: 'stream-usage', usage: 'none' }, 'none', 'none'],
  [{ kind: 'texts-of-prompts', differ: true }, true, 'true'],
  [{ kind: 'images', images: 2 }, 2, '2'],
  [{ kind: 'charged' }, 'charged', 'charged'],
  [{ kind: 'header-names', names: [] }, [], '[]'],
  [
    { kind: 'challenge', actualStatus: 401, value: null },
    { actualStatus: 401, value: null },
    '{"actualStatus":401,"value":null}',
  ],
])('the fact %j has the value %j, which the report shows as %s', (fact, value, text) => {
  expect(getObservedValue(fact)).toEqual(value)
  expect(describeValue(value)).toBe(text)
})

test.each<[ObservedValue, ObservedValue, boolean]>([
  ['accepted', 'accepted', true],
  ['accepted', { rejected: 400 }, false],
  [{ rejected: 404 }, { rejected: 404 }, true],
  [{ rejected: 404 }, { rejected: 405 }, false],
  ['rejected', { rejected: 405 }, true],
  ['rejected', 'accepted', false],
  [2, 2, true],
  ['2', 2, false],
])('the declared value %j matches %j: %s', (declared, value, matches) => {
  expect(matchesDeclaredValue(declared, value)).toBe(matches)
})
