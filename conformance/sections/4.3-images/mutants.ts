import { changeProperty, changeSuccesses, rejectRequests } from '../../mutation/change/responses.ts'
import { matchBody, matchFieldsOf, matchOperation } from '../../mutation/change/match.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import {
  matchMissingField,
  matchObserved,
  matchObservedStatus,
  matchOperationBreakdown,
  matchServedOtherwise,
  matchUnexpectedStatus,
  matchWrongCount,
} from '../../mutation/result-match.ts'

export const imageMutants: readonly Mutant[] = [
  {
    id: '8/two-images-by-default',
    breaks: 'without n, the result contains two images',
    kills: { '8/n-default': matchWrongCount('data', 2) },
    hooks: rewriteFields(matchFieldsOf('images', { n: undefined }), { n: 2 }),
  },
  {
    id: '4.3/n-of-one-refused',
    breaks: 'n is rejected if it is 1',
    kills: { '4.3/n-one': matchServedOtherwise({ parameter: 'n', omitted: true }) },
    hooks: rejectRequests(matchFieldsOf('images', { n: 1 }), 400),
  },
  {
    id: '4.3/n-ignored',
    breaks: 'n is ignored: the result always contains one image',
    kills: {
      '4.3/n-two': matchWrongCount('data', 1),
      '4.3/n-four': matchWrongCount('data', 1),
      '8/n-two': matchObserved({ kind: 'images', images: 1 }),
    },
    hooks: changeSuccesses(
      matchOperation('images'),
      changeProperty('data', (images) => (Array.isArray(images) ? images.slice(0, 1) : images)),
    ),
  },
  {
    id: '4.3/second-image-as-base64',
    breaks: 'the second of two images is base64 text',
    kills: { '4.3/every-result': matchMissingField('data[1].url') },
    hooks: changeSuccesses(
      matchOperation('images'),
      changeProperty('data', (images) =>
        Array.isArray(images)
          ? images.map((image, index) => (index === 1 ? { b64_json: 'iVBORw0KGgo=' } : image))
          : images,
      ),
    ),
  },
  {
    id: '8/one-image-at-most',
    breaks: 'nothing: the upper bound of n is not specified',
    kills: { '8/n-two': matchObservedStatus(400) },
    hooks: rejectRequests(matchFieldsOf('images', { n: 2 }), 400),
  },
  {
    id: '4.3/n-zero-served',
    breaks: 'nothing: the lower bound of n is not specified',
    kills: { '4.3/n-zero': matchObservedStatus(200) },
    hooks: rewriteFields(matchFieldsOf('images', { n: 0 }), { n: 1 }),
  },
  ...[
    { size: 'large', what: 'a word' },
    { size: '256', what: 'one number' },
    { size: '256x', what: 'a size without a height' },
    { size: '256x256x256', what: 'a size with three dimensions' },
  ].map(({ size, what }) => ({
    id: `4.3/size-${size}-taken`,
    breaks: `${what} is accepted as a size`,
    kills: { '4.3/size-malformed': matchUnexpectedStatus(200, { parameter: 'size', value: size }) },
    hooks: rewriteFields(matchFieldsOf('images', { size }), { size: undefined }),
  })),
  {
    id: '4.3/size-demanded',
    breaks: 'images without a size are rejected',
    kills: { '4.3/without-size': matchServedOtherwise({ parameter: 'size', value: '1024x1024' }) },
    hooks: rejectRequests(matchFieldsOf('images', { size: undefined }), 400),
  },
  ...[
    { check: '4.3/size-usual', size: '1024x1024' },
    { check: '4.3/size-odd', size: '300x200' },
  ].map(({ check, size }) => ({
    id: `${check}-refused`,
    breaks: 'nothing: the allowed sizes are not specified',
    kills: { [check]: matchObservedStatus(400) },
    // 1024x1024 is the default size of the emulator.
    mayAffect: size === '1024x1024' ? ['4.3/own-size'] : [],
    hooks: rejectRequests(matchFieldsOf('images', { size }), 400),
  })),
  {
    id: '4.3/size-zero-served',
    breaks: 'nothing: the allowed sizes are not specified',
    kills: { '4.3/size-zero': matchObservedStatus(200) },
    hooks: rewriteFields(matchFieldsOf('images', { size: '0x0' }), { size: undefined }),
  },
  {
    id: '4.3/exhausted-by-bytes',
    breaks: 'invalid UTF-8 in an image request causes a server error',
    kills: { '7/breakdown-images': matchOperationBreakdown('images', 500) },
    mayAffect: ['4.3/invalid-utf8'],
    hooks: rejectRequests(matchOperation('images', matchBody(/caf\xe9/)), 500),
  },
  {
    id: '4.3/unknown-type-of-bytes',
    breaks: 'nothing: the treatment of invalid UTF-8 is not specified',
    kills: { '4.3/invalid-utf8': matchObservedStatus(415) },
    hooks: rejectRequests(matchOperation('images', matchBody(/caf\xe9/)), 415),
  },
  {
    id: '4.3/ascii-alone',
    breaks: 'image generation accepts only ASCII',
    kills: { '4.3/unicode-prompt': matchUnexpectedStatus(400) },
    hooks: rejectRequests(matchOperation('images', matchBody(/[\x80-\xff]/)), 400),
  },
  {
    id: '4.3/empty-prompt-served',
    breaks: 'nothing: a target may accept an empty prompt',
    kills: { '4.3/prompt-empty': matchObservedStatus(200) },
    hooks: rewriteFields(matchFieldsOf('images', { prompt: '' }), { prompt: ' ' }),
  },
]
