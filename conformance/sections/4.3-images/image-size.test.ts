import { expect, test } from 'vitest'
import type { RequestSpec } from '../../http/exchange.ts'
import { imageSizeCheck, ownSizeCheck } from './image-size.ts'
import { type ScriptedResponse, createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'

function png(widthPx: number, heightPx: number): ScriptedResponse {
  const file = Buffer.from('89504e470d0a1a0a0000000d49484452'.padEnd(58, '0'), 'hex')
  file.writeUInt32BE(widthPx, 16)
  file.writeUInt32BE(heightPx, 20)
  return { status: 200, body: file }
}

function requestedSize(size = '1024x1024'): ScriptedResponse {
  const [widthPx = 0, heightPx = 0] = size.split('x').map(Number)
  return png(widthPx, heightPx)
}

interface Service {
  /** Builds the response to a request with this size. `size` is undefined if the request contains none. */
  make(size: string | undefined): ScriptedResponse
  /** Image file. A function creates it from the size in the last request for an image. */
  readonly file: ScriptedResponse | ((size: string | undefined) => ScriptedResponse)
}

const IMAGE_RESULT: ScriptedResponse = { status: 200, body: '{"data":[{"url":"http://target.test/v1/images/a.png"}]}' }
const REDIRECT: ScriptedResponse = { status: 302, headers: { location: 'http://elsewhere.test/a.png' } }
const FOREIGN_IMAGE_RESULT: ScriptedResponse = { status: 200, body: '{"data":[{"url":"http://elsewhere.test/a.png"}]}' }

function target({ make, file }: Service) {
  let size: string | undefined
  return createScriptedContext(({ method, body }: RequestSpec) => {
    if (method === 'GET') return typeof file === 'function' ? file(size) : file
    const fields: unknown = JSON.parse(Buffer.from(body ?? []).toString())
    size = typeof fields === 'object' && fields !== null && 'size' in fields ? String(fields.size) : undefined
    return make(size)
  })
}

const only =
  (...sizes: readonly string[]) =>
  (size: string | undefined): ScriptedResponse =>
    size === undefined || sizes.includes(size) ? IMAGE_RESULT : { status: 400 }

test.each<[string, Service, string, string]>([
  ['generates any size', { make: () => IMAGE_RESULT, file: requestedSize }, 'pass', 'pass'],
  ['always generates 512x512', { make: () => IMAGE_RESULT, file: png(512, 512) }, 'pass', 'warn'],
  ['always generates 1024x1024', { make: () => IMAGE_RESULT, file: png(1024, 1024) }, 'pass', 'warn'],
  ['accepts only its default size', { make: only('640x480'), file: png(640, 480) }, 'pass', 'pass'],
  ['rejects every size', { make: only(), file: png(640, 480) }, 'fail', 'not-testable'],
  ['accepts only one common size', { make: only('256x256'), file: png(256, 256) }, 'pass', 'pass'],
  ['serves no file', { make: () => IMAGE_RESULT, file: { status: 404 } }, 'pass', 'not-testable'],
  ['redirects from its image URLs', { make: () => IMAGE_RESULT, file: REDIRECT }, 'pass', 'not-testable'],
  [
    'redirects from its image URLs, and accepts only 640x480',
    { make: only('640x480'), file: REDIRECT },
    'not-testable',
    'not-testable',
  ],
  ['serves files on another host', { make: () => FOREIGN_IMAGE_RESULT, file: { status: 404 } }, 'pass', 'not-testable'],
  [
    'serves a scalable SVG',
    { make: () => IMAGE_RESULT, file: { status: 200, body: '<svg/>' } },
    'pass',
    'not-testable',
  ],
  [
    'rejects every request for an image',
    { make: () => ({ status: 400 }), file: { status: 404 } },
    'not-testable',
    'not-testable',
  ],
  [
    'returns 500 for its default size',
    { make: (size) => (size === '8x8' ? { status: 500 } : IMAGE_RESULT), file: png(8, 8) },
    'not-testable',
    'warn',
  ],
])('checks the image size of a target that %s', async (_name, service, own, requested) => {
  expect((await ownSizeCheck.run(target(service))).verdict).toBe(own)
  expect((await imageSizeCheck.run(target(service))).verdict).toBe(requested)
})

test('reports why the suite could not read the size of an image', async () => {
  const { code, params } = await ownSizeCheck.run(target({ make: only('8x8'), file: { status: 404 } }))
  expect([code, params]).toEqual(['image-not-served', { actualStatus: 404 }])
})
