import { IMAGE_PATH_PREFIX } from '../../../contract/facts.ts'
import {
  changeSuccesses,
  createErrorResponse,
  setBody,
  combineHooks,
  setHeader,
  changeProperty,
  rejectRequests,
} from '../../mutation/change/responses.ts'
import {
  matchAll,
  matchFields,
  matchFieldsOf,
  matchHeader,
  matchOperation,
  type RequestMatcher,
} from '../../mutation/change/match.ts'
import { rewriteFields, rewritePath } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import {
  matchMissingField,
  matchObservedStatus,
  matchUnexpectedStatus,
  matchWrongCount,
  matchWrongType,
  matchWrongValue,
} from '../../mutation/result-match.ts'

const toImageFile: RequestMatcher = ({ method, target }) => method === 'GET' && target.startsWith(IMAGE_PATH_PREFIX)

const SIZED = matchFields(({ size }) => isSize(size))

function inResult(name: string, change: (value: unknown) => unknown): Mutant['hooks'] {
  return changeSuccesses(matchOperation('images'), changeProperty(name, change))
}

/** Changes the URLs in image results, and forwards matching requests with the path that `back` returns. */
function moveImages(
  change: (url: string) => string,
  match: RequestMatcher,
  back: (target: string) => string,
): Mutant['hooks'] {
  return combineHooks(
    inResult('url', (url) => change(String(url))),
    rewritePath(match, back),
  )
}

/** Rejects the requests of image files other than the first one of their response. */
function storeOnlyFirstImage(): Mutant['hooks'] {
  const missing = new Set<string>()
  return {
    onRequest: (request) => (missing.has(request.target) ? createErrorResponse(404) : request),
    onResponse(response, request) {
      const urls = matchOperation('images')(request) ? response.body.toString('utf8').match(/\/v1\/images\/[^"]+/g) : []
      for (const path of urls?.slice(1) ?? []) missing.add(path)
      return response
    },
  }
}

function isSize(value: unknown): boolean {
  return typeof value === 'string' && /^\d+x\d+$/.test(value)
}

function halveSize(size: unknown): string {
  return String(size).replace(/\d+/g, (edge) => String(Number(edge) / 2))
}

/** Checks that cannot test a result without an image object. */
const NO_IMAGE_CHECKS = [
  '2.4/url-address',
  '2.4/url-extension',
  '2.4/url-resolves',
  '2.4/file-kind',
  '2.4/file-media-type',
  '4.3/n-one',
]

export const imageResultMutants: readonly Mutant[] = [
  {
    id: '2.4/created-as-date',
    breaks: 'the created time of image results is a date string',
    kills: { '2.4/created': matchWrongType('created', 'string', '2025-01-01T00:00:00Z') },
    hooks: inResult('created', () => '2025-01-01T00:00:00Z'),
  },
  {
    id: '2.4/base64-for-url',
    breaks: 'image results contain base64 text instead of a URL',
    kills: { '2.4/data': matchMissingField('data[0].url') },
    mayAffect: ['2.4/url-address', '2.4/url-extension'],
    hooks: inResult('data', (images) =>
      Array.isArray(images) ? images.map(() => ({ b64_json: 'iVBORw0KGgo=' })) : images,
    ),
  },
  {
    id: '2.4/addresses-alone',
    breaks: 'data contains only the URLs, not objects',
    kills: { '2.4/data': matchWrongType('data[0]', 'string') },
    mayAffect: NO_IMAGE_CHECKS,
    hooks: inResult('data', (images) => (Array.isArray(images) ? images.map(({ url }) => url) : images)),
  },
  {
    id: '2.4/no-image',
    breaks: 'data is empty',
    kills: {
      '2.4/data': matchWrongCount('data', 0),
      '8/n-default': matchWrongCount('data', 0),
      '4.3/n-two': matchWrongCount('data', 0),
      '4.3/n-four': matchWrongCount('data', 0),
    },
    mayAffect: NO_IMAGE_CHECKS,
    hooks: inResult('data', () => []),
  },
  {
    id: '2.4/other-path',
    breaks: 'image URLs start with {base_url}/images/, without the version',
    kills: { '2.4/url-address': matchWrongValue('data[0].url', /^http:\/\/[^/]+\/images\//) },
    hooks: moveImages(
      (url) => url.replace('/v1/images/', '/images/'),
      ({ target }) => target.startsWith('/images/'),
      (target) => `/v1${target}`,
    ),
  },
  {
    id: '2.4/relative-address',
    breaks: 'the URL of an image is a path without scheme and host',
    kills: { '2.4/url-address': matchWrongValue('data[0].url', /^\/v1\/images\//) },
    hooks: inResult('url', (url) => new URL(String(url)).pathname),
  },
  {
    id: '2.4/no-extension',
    breaks: 'the URL of an image has no file extension',
    kills: { '2.4/url-extension': matchWrongValue('data[0].url', /^http:/) },
    mayAffect: ['2.4/file-kind', '2.4/file-media-type'],
    hooks: moveImages(
      (url) => url.replace('.png', ''),
      toImageFile,
      (target) => `${target}.png`,
    ),
  },
  {
    id: '2.4/nothing-at-address',
    breaks: 'the URL of an image returns 404',
    kills: { '2.4/url-resolves': { code: 'wrong-image', params: { problem: 'missing', actualStatus: 404 } } },
    mayAffect: ['2.4/file-kind', '2.4/file-media-type'],
    hooks: rejectRequests(toImageFile, 404),
  },
  {
    id: '2.4/only-first-image-stored',
    breaks: 'the URL of the second image of a response returns 404',
    kills: { '2.4/url-resolves': { code: 'wrong-image', params: { problem: 'missing', actualStatus: 404 } } },
    mayAffect: ['2.4/file-kind', '2.4/file-media-type', '2.4/image-size', '2.4/url-key', '4.3/own-size'],
    hooks: storeOnlyFirstImage(),
  },
  {
    id: '2.4/empty-file',
    breaks: 'the URL of an image returns an empty file',
    kills: { '2.4/url-resolves': { code: 'wrong-image', params: { problem: 'empty' } } },
    mayAffect: ['2.4/file-kind', '2.4/file-media-type'],
    hooks: changeSuccesses(toImageFile, setBody('')),
  },
  {
    id: '2.4/jpeg-for-png',
    breaks: 'a URL that ends in .png returns a JPEG',
    kills: { '2.4/file-kind': { code: 'wrong-image', params: { problem: 'other-format', actualFormat: 'JPEG' } } },
    hooks: changeSuccesses(toImageFile, setBody(Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg')),
  },
  {
    id: '2.4/page-for-png',
    breaks: 'a URL that ends in .png returns a web page labelled image/png',
    kills: {
      '2.4/file-kind': { code: 'wrong-image', params: { problem: 'not-an-image' } },
      '2.4/file-media-type': { code: 'wrong-image', params: { problem: 'not-an-image' } },
    },
    hooks: changeSuccesses(toImageFile, (response) =>
      setHeader('content-type', 'image/png')(setBody('<!doctype html>')(response)),
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
    hooks: changeSuccesses(toImageFile, setHeader('content-type', 'image/jpeg')),
  },
  {
    id: '2.4/image-needs-key',
    breaks: 'nothing: a target may require the key for image files',
    kills: { '2.4/url-key': matchObservedStatus(401) },
    hooks: rejectRequests(matchAll(toImageFile, matchHeader('authorization', /^$/)), 401),
  },
  {
    id: '2.4/size-always-512',
    breaks: 'the size of a request is ignored: images are always 512x512',
    kills: {
      '2.4/image-size': {
        code: 'wrong-image',
        params: {
          difference: { parameter: 'size', value: '256x256' },
          problem: 'other-size',
          actualFormat: 'PNG',
          actualSize: '512x512',
        },
      },
    },
    hooks: rewriteFields(matchOperation('images'), ({ size }) =>
      size === undefined || isSize(size) ? { size: '512x512' } : {},
    ),
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
    hooks: rewriteFields(matchOperation('images', SIZED), ({ size }) => ({ size: halveSize(size) })),
  },
  {
    id: '4.3/own-size-refused',
    breaks: 'the default image size is rejected if a request specifies it',
    kills: { '4.3/own-size': matchUnexpectedStatus(400, { parameter: 'size', value: '1024x1024' }) },
    hooks: rejectRequests(matchFieldsOf('images', { size: '1024x1024' }), 400),
  },
]
