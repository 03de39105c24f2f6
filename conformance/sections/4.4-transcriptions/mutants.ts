import {
  changeSuccesses,
  createJsonResponse,
  changeProperty,
  rejectRequests,
  respondWith,
  setProperty,
} from '../../mutation/change/responses.ts'
import { matchBody, matchHeader, matchNot, matchOperation, type RequestMatcher } from '../../mutation/change/match.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import {
  matchMissingField,
  matchObserved,
  matchObservedStatus,
  matchOperationBreakdown,
  matchServedOtherwise,
  matchUnexpectedStatus,
  matchWrongType,
} from '../../mutation/result-match.ts'

const TRANSCRIPT = createJsonResponse({ text: 'Hello.' })
const FORM = matchHeader('content-type', /^multipart\/form-data/)

function hasField(name: string): RequestMatcher {
  return matchBody(new RegExp(`name="${name}"`))
}

function formWith(...matches: readonly RequestMatcher[]): RequestMatcher {
  return matchOperation('transcriptions', FORM, ...matches)
}

function textField(name: string, pattern: string): RequestMatcher {
  return matchBody(new RegExp(`name="${name}"\r\n\r\n${pattern}\r\n`))
}

const LANGUAGES = [
  { check: '4.4/language-short', code: 'en' },
  { check: '4.4/language-region', code: 'en-US' },
  { check: '4.4/language-unknown', code: 'touchstone' },
] as const

export const transcriptionMutants: readonly Mutant[] = [
  {
    id: '4.4/no-language',
    breaks: 'a form with any language is rejected',
    kills: {
      '4.4/language-accepted': {
        code: 'rejected-in-all-forms',
        params: {
          responses: ['en', 'en-US', 'en_US', 'eng', 'English', 'english'].map((language) => ({
            form: `language "${language}"`,
            actualStatus: 400,
          })),
        },
      },
    },
    hooks: rejectRequests(formWith(hasField('language')), 400),
  },
  {
    id: '2.5/text-in-segments',
    breaks: 'the text of a transcription is an array of segments',
    kills: { '2.5/text': matchWrongType('text', 'array') },
    hooks: changeSuccesses(
      matchOperation('transcriptions'),
      changeProperty('text', (text) => [{ text }]),
    ),
  },
  {
    id: '2.5/no-text',
    breaks: 'a transcription has no text',
    kills: { '2.5/text': matchMissingField('text') },
    hooks: changeSuccesses(matchOperation('transcriptions'), setProperty('text', undefined)),
  },
  {
    id: '4.4/model-assumed',
    breaks: 'a form without a model is served',
    kills: { '4.4/model-missing': matchUnexpectedStatus(200) },
    mayAffect: ['4.4/empty-form'],
    hooks: respondWith(formWith(matchNot(hasField('model'))), TRANSCRIPT),
  },
  {
    id: '4.4/no-file-served',
    breaks: 'a form without a file is served',
    kills: { '4.4/file-missing': matchUnexpectedStatus(200) },
    mayAffect: ['4.4/empty-form'],
    hooks: respondWith(formWith(matchNot(hasField('file'))), TRANSCRIPT),
  },
  {
    id: '4.4/text-for-file',
    breaks: 'a text is accepted as a file',
    kills: { '4.4/file-as-text': matchUnexpectedStatus(200) },
    hooks: respondWith(formWith(textField('file', 'speech')), TRANSCRIPT),
  },
  {
    id: '4.4/empty-form-served',
    breaks: 'a form without fields is served',
    kills: { '4.4/empty-form': matchUnexpectedStatus(200, { body: 'a form without fields' }) },
    hooks: respondWith(formWith(matchNot(hasField('model')), matchNot(hasField('file')), matchBody(/^--/)), TRANSCRIPT),
  },
  {
    id: '4.4/exhausted-by-empty-body',
    breaks: 'an empty body causes a server error',
    kills: { '4.4/empty-form': matchUnexpectedStatus(500, { bodyText: '' }) },
    hooks: rejectRequests(formWith(matchBody(/^$/)), 500),
  },
  {
    id: '4.4/unknown-type-without-boundary',
    breaks: 'nothing: the treatment of a form without a boundary is not specified',
    kills: { '4.4/no-boundary': matchObservedStatus(415) },
    hooks: rejectRequests(matchOperation('transcriptions', matchHeader('content-type', /^multipart\/form-data$/)), 415),
  },
  {
    id: '4.4/names-in-latin-1',
    breaks: 'a file name outside ASCII causes a server error',
    kills: { '7/breakdown-transcriptions': matchOperationBreakdown('transcriptions', 500) },
    mayAffect: ['4.4/filename-unicode'],
    hooks: rejectRequests(formWith(matchBody(/filename="[^"]*[^\x20-\x7e]/)), 500),
  },
  {
    id: '4.4/names-in-ascii-alone',
    breaks: 'nothing: the names of files are not specified',
    kills: { '4.4/filename-unicode': matchObservedStatus(400) },
    hooks: rejectRequests(formWith(matchBody(/filename="[^"]*[^\x20-\x7e]/)), 400),
  },
  {
    id: '4.4/other-result-with-language',
    breaks: 'the text is missing if the form contains a language',
    kills: { '4.4/every-result': matchMissingField('text') },
    hooks: changeSuccesses(formWith(textField('language', 'en')), setProperty('text', undefined)),
  },
  {
    id: '4.4/model-first-refused',
    breaks: 'the model must follow the file',
    kills: { '4.4/model-first': matchServedOtherwise({ variant: 'with the file first' }) },
    mayAffect: ['1/transcriptions-offered'],
    hooks: rejectRequests(formWith(matchBody(/name="model"[^]*name="file"/)), 400),
  },
  {
    id: '4.4/file-first-refused',
    breaks: 'the model must precede the file',
    kills: { '4.4/file-first': matchServedOtherwise({ variant: 'with the model first' }) },
    hooks: rejectRequests(formWith(matchBody(/name="file"[^]*name="model"/)), 400),
  },
  {
    id: '4.4/language-demanded',
    breaks: 'a form without a language is rejected',
    kills: { '4.4/without-language': matchServedOtherwise({ parameter: 'language', value: 'en' }) },
    mayAffect: ['1/transcriptions-offered'],
    hooks: rejectRequests(formWith(matchNot(hasField('language'))), 400),
  },
  ...LANGUAGES.map(({ check, code }) => ({
    id: `${check}-refused`,
    breaks: 'nothing: the form of a language code is not specified',
    kills: { [check]: matchObservedStatus(400) },
    hooks: rejectRequests(formWith(textField('language', code)), 400),
  })),
  {
    id: '4.4/empty-file-served',
    breaks: 'nothing: a target may accept an empty file',
    kills: { '4.4/file-empty': matchObservedStatus(200) },
    hooks: respondWith(
      formWith(matchBody(/filename="speech\.wav"\r\nContent-Type: audio\/wav\r\n\r\n\r\n/)),
      TRANSCRIPT,
    ),
  },
  {
    id: '4.4/no-audio-refused',
    breaks: 'nothing: the accepted formats are not specified',
    kills: { '4.4/file-no-audio': matchObservedStatus(400) },
    hooks: rejectRequests(formWith(matchBody(/filename="notes\.txt"/)), 400),
  },
  {
    id: '4.4/mp3-refused',
    breaks: 'nothing: the accepted formats are not specified',
    kills: { '4.4/format-mp3': matchObservedStatus(400) },
    hooks: rejectRequests(formWith(matchBody(/filename="speech\.mp3"/)), 400),
  },
  {
    id: '4.4/speech-not-understood',
    breaks: 'nothing: the accuracy of a transcription is not specified',
    kills: { '4.4/format-mp3': matchObserved({ kind: 'transcript', actualStatus: 200, heard: 0 }) },
    hooks: changeSuccesses(formWith(matchBody(/filename="speech\.mp3"/)), setProperty('text', 'Noise.')),
  },
  {
    id: '4.4/json-415',
    breaks: 'nothing: the response to a JSON body is not specified',
    kills: { '4.4/json-body': matchObservedStatus(415) },
    hooks: rejectRequests(matchOperation('transcriptions', matchNot(FORM)), 415),
  },
]
