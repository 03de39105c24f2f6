import { changeSuccesses, json, member, reject, reply } from '../change/responses.ts'
import { all, type Match, not, to, withBody, withHeader } from '../change/match.ts'
import type { Mutant } from '../mutant.ts'
import { brokenDown, missingField, observedStatus, unexpectedStatus } from '../result-match.ts'

const TRANSCRIPT = json({ text: 'Hello.' })
const FORM = withHeader('content-type', /^multipart\/form-data/)

/** Matches forms with a field. */
function field(name: string): Match {
  return withBody(new RegExp(`name="${name}"`))
}

function formWith(...matches: readonly Match[]): Match {
  return all(to('transcriptions'), FORM, ...matches)
}

/** Matches a text field with this value. */
function value(name: string, pattern: string): Match {
  return withBody(new RegExp(`name="${name}"\r\n\r\n${pattern}\r\n`))
}

const results: readonly Mutant[] = [
  {
    id: '2.5/text-in-segments',
    breaks: 'the text of a transcription is an array of segments',
    kills: { '2.5/text': { code: 'wrong-type', params: { path: 'text', actualType: 'array' } } },
    wire: changeSuccesses(
      to('transcriptions'),
      member('text', (text) => [{ text }]),
    ),
  },
  {
    id: '2.5/no-text',
    breaks: 'the text of a transcription has another name',
    kills: { '2.5/text': missingField('text') },
    wire: changeSuccesses(
      to('transcriptions'),
      member('text', () => undefined),
    ),
  },
]

const forms: readonly Mutant[] = [
  {
    id: '4.4/model-assumed',
    breaks: 'a form without a model is served',
    kills: { '4.4/model-missing': unexpectedStatus(200) },
    mayAffect: ['4.4/empty-form'],
    wire: reply(formWith(not(field('model'))), TRANSCRIPT),
  },
  {
    id: '4.4/no-file-served',
    breaks: 'a form without a file is served',
    kills: { '4.4/file-missing': unexpectedStatus(200) },
    mayAffect: ['4.4/empty-form'],
    wire: reply(formWith(not(field('file'))), TRANSCRIPT),
  },
  {
    id: '4.4/text-for-file',
    breaks: 'a text is accepted as a file',
    kills: { '4.4/file-as-text': unexpectedStatus(200) },
    wire: reply(formWith(value('file', 'speech')), TRANSCRIPT),
  },
  {
    id: '4.4/empty-form-served',
    breaks: 'a form without fields is served',
    kills: { '4.4/empty-form': unexpectedStatus(200, { body: 'a form without fields' }) },
    wire: reply(formWith(not(field('model')), not(field('file')), withBody(/^--/)), TRANSCRIPT),
  },
  {
    id: '4.4/exhausted-by-empty-body',
    breaks: 'an empty body exhausts the reader of forms',
    kills: { '4.4/empty-form': unexpectedStatus(500, { bodyText: '' }) },
    wire: reject(formWith(withBody(/^$/)), 500),
  },
  {
    id: '4.4/exhausted-by-boundary',
    breaks: 'a form without a boundary exhausts the reader of forms',
    kills: { '7/breakdown-transcriptions': brokenDown('transcriptions', 500) },
    mayAffect: ['4.4/no-boundary'],
    wire: reject(all(to('transcriptions'), withHeader('content-type', /^multipart\/form-data$/)), 500),
  },
  {
    id: '4.4/unknown-type-without-boundary',
    breaks: 'nothing: the treatment of a form without a boundary is not specified',
    kills: { '4.4/no-boundary': observedStatus(415) },
    wire: reject(all(to('transcriptions'), withHeader('content-type', /^multipart\/form-data$/)), 415),
  },
  {
    id: '4.4/names-in-latin-1',
    breaks: 'the name of a file is written in another encoding, and exhausts the server',
    kills: { '7/breakdown-transcriptions': brokenDown('transcriptions', 500) },
    mayAffect: ['4.4/filename-unicode'],
    wire: reject(formWith(withBody(/filename="[^"]*[^\x20-\x7e]/)), 500),
  },
  {
    id: '4.4/names-in-ascii-alone',
    breaks: 'nothing: the names of files are not specified',
    kills: { '4.4/filename-unicode': observedStatus(400) },
    wire: reject(formWith(withBody(/filename="[^"]*[^\x20-\x7e]/)), 400),
  },
  {
    id: '4.4/other-result-with-language',
    breaks: 'with a language the text has another name',
    kills: {
      '4.4/every-result': {
        code: 'missing-field',
        params: { path: 'text' },
      },
    },
    wire: changeSuccesses(
      formWith(value('language', 'en')),
      member('text', () => undefined),
    ),
  },
  {
    id: '4.4/model-first-refused',
    breaks: 'the model has to come after the file',
    kills: {
      '4.4/model-first': {
        code: 'served-only-otherwise',
        params: { actualStatus: 400, servedWith: { variant: 'with the file first' } },
      },
    },
    mayAffect: ['1/transcriptions-offered'],
    wire: reject(formWith(withBody(/name="model"[^]*name="file"/)), 400),
  },
  {
    id: '4.4/file-first-refused',
    breaks: 'the model has to come before the file',
    kills: {
      '4.4/file-first': {
        code: 'served-only-otherwise',
        params: { actualStatus: 400, servedWith: { variant: 'with the model first' } },
      },
    },
    wire: reject(formWith(withBody(/name="file"[^]*name="model"/)), 400),
  },
  {
    id: '4.4/language-demanded',
    breaks: 'a form without a language is rejected',
    kills: {
      '4.4/without-language': {
        code: 'served-only-otherwise',
        params: { actualStatus: 400, servedWith: { parameter: 'language', value: 'en' } },
      },
    },
    mayAffect: ['1/transcriptions-offered'],
    wire: reject(formWith(not(field('language'))), 400),
  },
]

const LANGUAGES = [
  { name: 'short', code: 'en' },
  { name: 'region', code: 'en-US' },
  { name: 'unknown', code: 'touchstone' },
] as const

const openPoints: readonly Mutant[] = [
  ...LANGUAGES.map(({ name, code }) => ({
    id: `4.4/language-${name}-refused`,
    breaks: 'nothing: the form of a language code is not specified',
    kills: { [`4.4/language-${name}`]: observedStatus(400) },
    wire: reject(formWith(value('language', code)), 400),
  })),
  {
    id: '4.4/empty-file-served',
    breaks: 'nothing: a target may find no text in an empty file',
    kills: { '4.4/file-empty': observedStatus(200) },
    wire: reply(formWith(withBody(/filename="speech\.wav"\r\nContent-Type: audio\/wav\r\n\r\n\r\n/)), TRANSCRIPT),
  },
  {
    id: '4.4/no-audio-refused',
    breaks: 'nothing: the accepted formats are not specified',
    kills: { '4.4/file-no-audio': observedStatus(400) },
    wire: reject(formWith(withBody(/filename="notes\.txt"/)), 400),
  },
  {
    id: '4.4/mp3-refused',
    breaks: 'nothing: the accepted formats are not specified',
    kills: { '4.4/format-mp3': observedStatus(400) },
    wire: reject(formWith(withBody(/filename="speech\.mp3"/)), 400),
  },
  {
    id: '4.4/speech-not-understood',
    breaks: 'nothing: how well a transcription fits the sound is not specified',
    kills: {
      '4.4/format-mp3': {
        code: 'observed-response',
        params: { seen: { kind: 'transcript', actualStatus: 200, heard: 0 } },
      },
    },
    wire: changeSuccesses(
      formWith(withBody(/filename="speech\.mp3"/)),
      member('text', () => 'Noise.'),
    ),
  },
  {
    id: '4.4/json-415',
    breaks: 'nothing: what a JSON body gives is not specified',
    kills: { '4.4/json-body': observedStatus(415) },
    wire: reject(all(to('transcriptions'), not(FORM)), 415),
  },
]

export const transcriptionMutants: readonly Mutant[] = [
  {
    id: '4.4/no-language',
    breaks: 'a form with a language is rejected, whichever it is',
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
    wire: reject(formWith(field('language')), 400),
  },
  ...results,
  ...forms,
  ...openPoints,
]
