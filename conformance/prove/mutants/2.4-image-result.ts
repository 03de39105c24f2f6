import { IMAGE_PATH_PREFIX } from '../../../contract/facts.ts'
import { changeSuccesses, body, both, header, member, reject } from '../change/responses.ts'
import { all, type Match, to, withFields, withHeader } from '../change/match.ts'
import { rewriteFields, rewriteTarget } from '../change/requests.ts'
import type { Mutant } from '../mutant.ts'
import { missingField, observedStatus, unexpectedStatus, wrongValue } from '../result-match.ts'

const toImageFile: Match = ({ method, target }) => method === 'GET' && target.startsWith(IMAGE_PATH_PREFIX)

const SIZED = withFields(({ size }) => typeof size === 'string' && /^\d+x\d+$/.test(size))

/** Changes a member of each image result. */
function inResult(name: string, change: (value: unknown) => unknown): Mutant['wire'] {
  return changeSuccesses(to('images'), member(name, change))
}

/** Changes the urls of results, and rewrites requests to them back to the address of the image. */
function movedTo(change: (url: string) => string, match: Match, back: (target: string) => string): Mutant['wire'] {
  return both(
    inResult('url', (url) => change(String(url))),
    rewriteTarget(match, back),
  )
}

const results: readonly Mutant[] = [
  {
    id: '2.4/created-as-date',
    breaks: 'the created time of images is a date in text',
    kills: {
      '2.4/created': {
        code: 'wrong-type',
        params: { path: 'created', actualType: 'string', actual: '2025-01-01T00:00:00Z' },
      },
    },
    wire: inResult('created', () => '2025-01-01T00:00:00Z'),
  },
  {
    id: '2.4/base64-for-url',
    breaks: 'images come as base64 text instead of an address',
    kills: { '2.4/data': missingField('data[0].url') },
    mayAffect: ['2.4/url-address', '2.4/url-extension'],
    wire: inResult('data', (images) =>
      Array.isArray(images) ? images.map(() => ({ b64_json: 'iVBORw0KGgo=' })) : images,
    ),
  },
  {
    id: '2.4/addresses-alone',
    breaks: 'data contains only the addresses, not objects',
    kills: { '2.4/data': { code: 'wrong-type', params: { path: 'data[0]', actualType: 'string' } } },
    mayAffect: [
      '2.4/url-address',
      '2.4/url-extension',
      '2.4/url-resolves',
      '2.4/file-kind',
      '2.4/file-media-type',
      '4.3/n-one',
    ],
    wire: inResult('data', (images) => (Array.isArray(images) ? images.map(({ url }) => url) : images)),
  },
  {
    id: '2.4/no-image',
    breaks: 'data is empty',
    kills: {
      '2.4/data': { code: 'wrong-count', params: { path: 'data', actualCount: 0 } },
      '8/n-default': { code: 'wrong-count', params: { path: 'data', actualCount: 0 } },
      '4.3/n-two': { code: 'wrong-count', params: { path: 'data', actualCount: 0 } },
      '4.3/n-four': { code: 'wrong-count', params: { path: 'data', actualCount: 0 } },
    },
    mayAffect: [
      '2.4/url-address',
      '2.4/url-extension',
      '2.4/url-resolves',
      '2.4/file-kind',
      '2.4/file-media-type',
      '4.3/n-one',
    ],
    wire: inResult('data', () => []),
  },
]

const addresses: readonly Mutant[] = [
  {
    id: '2.4/other-path',
    breaks: 'images lie under {base_url}/images/, without the version',
    kills: { '2.4/url-address': wrongValue('data[0].url', /^http:\/\/[^/]+\/images\//) },
    wire: movedTo(
      (url) => url.replace('/v1/images/', '/images/'),
      ({ target }) => target.startsWith('/images/'),
      (target) => `/v1${target}`,
    ),
  },
  {
    id: '2.4/relative-address',
    breaks: 'the address of an image is a path without scheme and host',
    kills: {
      '2.4/url-address': wrongValue('data[0].url', /^\/v1\/images\//),
      '2.4/url-key': {
        code: 'observed-response',
        params: { seen: { kind: 'image-url', problem: 'outside-base-address' } },
      },
    },
    wire: inResult('url', (url) => new URL(String(url)).pathname),
  },
  {
    id: '2.4/no-extension',
    breaks: 'the address of an image has no extension',
    kills: { '2.4/url-extension': wrongValue('data[0].url', /^http:/) },
    mayAffect: ['2.4/file-kind', '2.4/file-media-type'],
    wire: movedTo(
      (url) => url.replace('.png', ''),
      toImageFile,
      (target) => `${target}.png`,
    ),
  },
  {
    id: '2.4/nothing-at-address',
    breaks: 'nothing lies at the address of an image',
    kills: { '2.4/url-resolves': unexpectedStatus(404) },
    mayAffect: ['2.4/file-kind', '2.4/file-media-type'],
    wire: reject(toImageFile, 404),
  },
  {
    id: '2.4/empty-file',
    breaks: 'an empty file lies at the address of an image',
    kills: { '2.4/url-resolves': { code: 'wrong-image', params: { problem: 'empty' } } },
    mayAffect: ['2.4/file-kind', '2.4/file-media-type'],
    wire: changeSuccesses(toImageFile, body('')),
  },
  {
    id: '2.4/jpeg-for-png',
    breaks: 'a JPEG lies at an address that ends in .png',
    kills: { '2.4/file-kind': { code: 'wrong-image', params: { problem: 'other-format', actualFormat: 'JPEG' } } },
    wire: changeSuccesses(toImageFile, body(Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg')),
  },
  {
    id: '2.4/page-for-png',
    breaks: 'a web page lies at an address that ends in .png, labelled as an image',
    kills: {
      '2.4/file-kind': { code: 'wrong-image', params: { problem: 'not-an-image' } },
      '2.4/file-media-type': { code: 'wrong-image', params: { problem: 'not-an-image' } },
    },
    wire: changeSuccesses(toImageFile, (response) =>
      header('content-type', 'image/png')(body('<!doctype html>')(response)),
    ),
  },
  {
    id: '2.4/labelled-jpeg',
    breaks: 'PNG files are labelled image/jpeg',
    kills: {
      '2.4/file-media-type': {
        code: 'wrong-image',
        params: { problem: 'other-media-type', actualFormat: 'PNG', actualMediaType: 'image/jpeg' },
      },
    },
    wire: changeSuccesses(toImageFile, header('content-type', 'image/jpeg')),
  },
  {
    id: '2.4/labelled-page',
    breaks: 'PNG files are labelled as a web page',
    kills: {
      '2.4/file-media-type': {
        code: 'wrong-image',
        params: { problem: 'other-media-type', actualFormat: 'PNG', actualMediaType: 'text/html' },
      },
    },
    wire: changeSuccesses(toImageFile, header('content-type', 'text/html; charset=utf-8')),
  },
  {
    id: '2.4/image-needs-key',
    breaks: 'nothing: a target may give images only with the key',
    kills: { '2.4/url-key': observedStatus(401) },
    wire: reject(all(toImageFile, withHeader('authorization', /^$/)), 401),
  },
]

/** Halves both dimensions of a size like `512x512`. */
function halved(size: unknown): string {
  return String(size).replace(/\d+/g, (edge) => String(Number(edge) / 2))
}

const sizes: readonly Mutant[] = [
  {
    id: '2.4/size-ignored',
    breaks: 'the size of a request is ignored: images are always 1024x1024',
    kills: {
      '2.4/image-size': {
        code: 'wrong-image',
        params: {
          difference: { parameter: 'size', value: '512x512' },
          problem: 'other-size',
          actualFormat: 'PNG',
          actualSize: '1024x1024',
        },
      },
    },
    wire: rewriteFields(all(to('images'), SIZED), () => ({ size: undefined })),
  },
  {
    id: '2.4/size-halved',
    breaks: 'images are half as large as they should be',
    kills: {
      '2.4/image-size': {
        code: 'wrong-image',
        params: {
          difference: { parameter: 'size', value: '512x512' },
          problem: 'other-size',
          actualFormat: 'PNG',
          actualSize: '256x256',
        },
      },
    },
    wire: rewriteFields(all(to('images'), SIZED), ({ size }) => ({ size: halved(size) })),
  },
  {
    id: '4.3/own-size-refused',
    breaks: 'the size that images have by default is rejected when a request names it',
    kills: { '4.3/own-size': unexpectedStatus(400, { parameter: 'size', value: '1024x1024' }) },
    wire: reject(
      all(
        to('images'),
        withFields(({ size }) => size === '1024x1024'),
      ),
      400,
    ),
  },
]

export const imageResultMutants: readonly Mutant[] = [...results, ...addresses, ...sizes]
