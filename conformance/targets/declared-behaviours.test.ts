import { describe, expect, test } from 'vitest'
import { CHECKS } from '../checks/all.ts'
import { REQUIREMENTS } from '../requirements/all.ts'
import { DECLARED_NAMES, findObservationIds, parseDeclaredBehaviours } from './declared-behaviours.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

test('maps each name of a declared behaviour to existing observations', () => {
  const silent = new Set(REQUIREMENTS.filter(({ level }) => level === 'silent').map(({ id }) => id))
  const observations = new Set(CHECKS.filter(({ requirement }) => silent.has(requirement)).map(({ id }) => id))
  expect(DECLARED_NAMES.flatMap(findObservationIds).filter((id) => !observations.has(id))).toEqual([])
})

describe('a declared behaviour', () => {
  test.each([
    [405, 'GET on chat: answered 405', true],
    [405, 'GET on chat: answered 404', false],
    [40, 'GET on chat: answered 405', false],
    ['refused', 'n 2: answered 400', true],
    ['refused', 'n 2: answered 200', false],
    ['refused', 'n 2: answered 500', false],
    ['accepted', 'n 2: answered 200', true],
    ['accepted', 'n 2: 2 images', true],
    ['accepted', 'n 2: answered 308', false],
    ['accepted', 'n 2: answered 400', false],
    ['/^n 2: \\d images$/', 'n 2: 3 images', true],
    ['/^n 2: \\d images$/', 'n 2: many images', false],
    ['none', 'headers about the rate limit: none', true],
    ['headers about the rate limit: none', 'headers about the rate limit: none', true],
    ['none', 'headers about the rate limit: nonexxx', false],
    ['a (b) [c]', 'x: a (b) [c]', true],
    ['a.b', 'x: aab', false],
  ])('the declared value %j matches "%s": %s', (value, actual, holds) => {
    const pattern = parseDeclaredBehaviours({ '8/x': value })['8/x']?.pattern ?? ''
    expect(new RegExp(pattern, 'u').test(actual)).toBe(holds)
  })

  test('accepts special values of a declared behaviour', () => {
    const behaviours = parseDeclaredBehaviours({ imageUrls: 'key' })
    expect(behaviours).toEqual({ '2.4/url-key': { text: 'key', pattern: String.raw`\banswered 4\d\d` } })
  })

  test.each([
    ['an unknown name', { imageUrl: 'key' }, 'declares.imageUrl is no name: it can be contentParts,'],
    ['a special value of another name', { imageUrls: 'accepted' }, 'declares.imageUrls must be public or key'],
    ['an invalid regular expression', { wrongMethod: '/(/' }, 'declares.wrongMethod is no regular expression'],
    [
      'two values for one observation',
      { wrongMethod: 405, '4/wrong-method-chat': 404 },
      'answers 4/wrong-method-chat twice',
    ],
  ])('rejects %s', (_name, declares, sentence) => {
    expect(() => parseDeclaredBehaviours(declares)).toThrow(InvalidOptionError)
    expect(() => parseDeclaredBehaviours(declares)).toThrow(sentence)
  })
})
