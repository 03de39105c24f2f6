import { describe, expect, test } from 'vitest'
import { CHECKS } from '../sections/checks.ts'
import { REQUIREMENTS } from '../sections/requirements.ts'
import {
  DECLARED_NAMES,
  findObservationIds,
  matchesDeclaration,
  parseDeclaredBehaviours,
} from './declared-behaviours.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

test('maps each name of a declared behaviour to existing observations', () => {
  const unspecified = new Set(REQUIREMENTS.filter(({ level }) => level === 'unspecified').map(({ id }) => id))
  const observations = new Set(CHECKS.filter(({ requirement }) => unspecified.has(requirement)).map(({ id }) => id))
  expect(DECLARED_NAMES.flatMap(findObservationIds).filter((id) => !observations.has(id))).toEqual([])
})

describe('a declared behaviour', () => {
  test.each([
    [405, 'GET on chat: returned 405', true],
    [405, 'GET on chat: returned 404', false],
    [40, 'GET on chat: returned 405', false],
    ['refused', 'n 2: returned 400', true],
    ['refused', 'n 2: returned 200', false],
    ['refused', 'n 2: returned 500', false],
    ['accepted', 'n 2: returned 200', true],
    ['accepted', 'n 2: 2 images', true],
    ['accepted', 'n 2: returned 308', false],
    ['accepted', 'n 2: returned 400', false],
    ['/^n 2: \\d images$/', 'n 2: 3 images', true],
    ['/^n 2: \\d images$/', 'n 2: many images', false],
    ['none', 'headers about the rate limit: none', true],
    ['headers about the rate limit: none', 'headers about the rate limit: none', true],
    ['none', 'headers about the rate limit: nonexxx', false],
    ['a stream that the client left: nothing was charged', 'an aborted stream: nothing was charged', true],
    ['a stream that the client left: nothing was charged', 'an aborted stream: something was charged', false],
    ['a (b) [c]', 'x: a (b) [c]', true],
    ['a.b', 'x: aab', false],
  ])('the declared value %j matches "%s": %s', (value, actual, holds) => {
    const behaviour = parseDeclaredBehaviours({ '8/x': value })['8/x'] ?? { text: '', pattern: '' }
    expect(matchesDeclaration(behaviour, actual)).toBe(holds)
  })

  test('accepts special values of a declared behaviour', () => {
    const behaviours = parseDeclaredBehaviours({ imageUrls: 'key' })
    expect(behaviours).toEqual({ '2.4/url-key': { text: 'key', pattern: String.raw`\breturned 4\d\d` } })
  })

  test.each([
    ['an unknown name', { imageUrl: 'key' }, 'declares.imageUrl is not a name: use one of contentParts,'],
    ['a special value of another name', { imageUrls: 'accepted' }, 'declares.imageUrls must be public or key'],
    ['an invalid regular expression', { wrongMethod: '/(/' }, 'declares.wrongMethod is not a regular expression'],
    [
      'two values for one observation',
      { wrongMethod: 405, '4/wrong-method-chat': 404 },
      'sets 4/wrong-method-chat twice',
    ],
  ])('rejects a declaration with %s', (_name, declares, sentence) => {
    expect(() => parseDeclaredBehaviours(declares)).toThrow(InvalidOptionError)
    expect(() => parseDeclaredBehaviours(declares)).toThrow(sentence)
  })
})
