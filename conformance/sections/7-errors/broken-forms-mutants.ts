import {
  matchAll,
  matchBody,
  matchHeader,
  matchNot,
  matchOperation,
  type RequestMatcher,
} from '../../mutation/change/match.ts'
import { createErrorResponse, rejectRequests, respondWith } from '../../mutation/change/responses.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchUnexpectedStatus } from '../../mutation/result-match.ts'

/** Matches forms that contain the file, so that they do not match the checks of missing fields. */
const withFile = matchAll(
  matchOperation('transcriptions'),
  matchHeader('content-type', /boundary=/),
  matchBody(/filename="speech\.wav"/),
)
const isComplete = matchBody(/--\r\n$/)
const endsAfterPart = matchBody(/[^-]\r\n$/)

interface BrokenForm {
  readonly name: string
  readonly body: string
  readonly matches: RequestMatcher
}

const BROKEN_FORMS: readonly BrokenForm[] = [
  {
    name: 'boundary',
    body: 'a form whose header names another boundary',
    matches: matchHeader('content-type', /-other$/),
  },
  {
    name: 'end',
    body: 'a form without its last boundary',
    matches: matchAll(matchNot(isComplete), endsAfterPart),
  },
  {
    name: 'cut',
    body: 'a form that ends in the middle of the file',
    matches: matchAll(matchNot(isComplete), matchNot(endsAfterPart)),
  },
  { name: 'nameless', body: 'a form whose file has no name', matches: matchNot(matchBody(/name="file"/)) },
]

export const brokenFormMutants: readonly Mutant[] = [
  ...BROKEN_FORMS.map(({ name, body, matches }) => ({
    id: `7/broken-by-form-${name}`,
    breaks: `transcriptions fail with 500 on ${body}`,
    kills: { '7/broken-form-transcriptions': matchUnexpectedStatus(500, { body }) },
    hooks: rejectRequests(matchAll(withFile, matches), 500),
  })),
  {
    id: '7/form-awaited',
    breaks: 'transcriptions wait for the end of a form without its last boundary',
    kills: {
      '7/broken-form-transcriptions': { code: 'no-response', params: { actualStatus: 0, error: 'timeout' } },
    },
    hooks: respondWith(matchAll(withFile, matchNot(isComplete)), { ...createErrorResponse(400), isWithheld: true }),
    timeoutMs: 3000,
  },
]
