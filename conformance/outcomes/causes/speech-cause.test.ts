import { expect, test } from 'vitest'
import type { Outcome } from '../outcome.ts'
import { createFinding, summarizeCauses } from './testing/findings.ts'

test('distinguishes a wrong media type of MP3 from a correct media type of other audio', () => {
  const audio = { body: '(100 bytes, not text)' }
  const xml = createFinding(
    'speech',
    {
      verdict: 'warn',
      code: 'unexpected-media-type',
      params: { actualMediaType: 'text/xml' },
      expected: { mediaType: 'audio/mpeg' },
    },
    audio,
  )
  const malformed: Outcome = {
    verdict: 'fail',
    code: 'mp3-malformed',
    params: { problem: 'no-frame' },
    expected: { rule: 'mp3-start' },
  }
  expect(summarizeCauses([xml, createFinding('speech', malformed, audio)])).toEqual(['Speech is not MP3: 2'])
  const withoutResult = createFinding('speech', {
    verdict: 'not-testable',
    code: 'control-request-not-served',
    params: { actualStatus: 200 },
  })
  expect(summarizeCauses([createFinding('speech', malformed), withoutResult, withoutResult])).toEqual([
    'Speech is JSON instead of MP3: 3',
  ])
  expect(summarizeCauses([xml])).toEqual(['Speech responses have the media type `text/xml` instead of `audio/mpeg`: 1'])
})
