import { type Check, defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { fetchImage, requestImages, withoutRedirect } from './image-file.ts'
import { readImage } from './image-facts.ts'
import { getMediaType } from '../shared/response-access.ts'

const CONSEQUENCE = 'programs that show or download the image from its URL receive no image'

/** Media types that name no specific format, so they contradict no file extension. */
const GENERIC_TYPES = ['', 'application/octet-stream', 'binary/octet-stream', 'image/*']

interface FileConvention {
  readonly id: string
  readonly title: string
  readonly expected: Expectation
  readonly find: expect.DeviationFinder
  readonly consequence: string
}

/**
 * Defines a check of the file at the URL of an image. The check warns if the file is missing. It is not testable if the
 * URL belongs to another host or redirects, because the suite sends requests only to the target and does not follow
 * redirects.
 */
function fileCheck({ id, title, expected, find, consequence }: FileConvention): Check {
  return defineCheck({
    id,
    requirement: '2.4/url-resolution',
    title,
    operation: 'images',
    cost: { requests: 3 },
    async run(context) {
      const response = await requestImages(context)
      if (!expect.isServed(response)) return expect.checkConvention(response, expected, () => undefined, consequence)
      const file = withoutRedirect(await fetchImage(context, response))
      if (typeof file === 'string')
        return expect.markNotTestable({ code: 'image-unreadable', params: { problem: file } })
      const findInFile = (whole: Exchange): Deviation | undefined =>
        whole.body.length === 0 ? wrongImage('empty') : find(whole)
      const outcome = expect.checkRequestForm(file, { asWellAs: response }, expected, findInFile, consequence)
      if (outcome.code !== 'unexpected-status') return outcome
      const missing = wrongImage('missing', { actualStatus: file.status })
      return { ...expect.warn(expected, missing, consequence), exchange: file }
    },
  })
}

type ImageDeviation = Extract<Deviation, { code: 'wrong-image' }>

function wrongImage(
  problem: ImageDeviation['params']['problem'],
  details: Omit<ImageDeviation['params'], 'problem'> = {},
): ImageDeviation {
  return { code: 'wrong-image', params: { problem, ...details } }
}

export const urlResolvesCheck = fileCheck({
  id: '2.4/url-resolves',
  title: 'serves a file at the url of an image',
  expected: { rule: 'image-file' },
  find: () => undefined,
  consequence: CONSEQUENCE,
})

export const urlKindCheck = fileCheck({
  id: '2.4/file-kind',
  title: 'serves a file whose format matches the extension of the url',
  expected: { rule: 'image-file-kind' },
  find: ({ body, request }) => kindDeviation(body, request.path.split('?')[0] ?? ''),
  consequence:
    'programs that choose a decoder by the extension, and sites that set the media type by it, show a broken image',
})

function kindDeviation(bytes: Uint8Array, path: string): Deviation | undefined {
  const name = path.split('/').at(-1) ?? ''
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase()
  if (extension === undefined) return wrongImage('no-extension', { name })
  const image = readImage(bytes)
  if (image === undefined) return wrongImage('not-an-image', { name })
  return image.extensions.includes(extension)
    ? undefined
    : wrongImage('other-format', { name, actualFormat: image.format })
}

export const fileMediaTypeCheck = fileCheck({
  id: '2.4/file-media-type',
  title: 'labels the file at the url with the media type of its format',
  expected: { rule: 'image-file-media-type' },
  find(file) {
    const image = readImage(file.body)
    if (image === undefined) return wrongImage('not-an-image')
    const actualMediaType = getMediaType(file)
    const agrees = GENERIC_TYPES.includes(actualMediaType) || image.mediaTypes.includes(actualMediaType)
    return agrees ? undefined : wrongImage('other-media-type', { actualFormat: image.format, actualMediaType })
  },
  consequence: 'browsers that do not guess the type (X-Content-Type-Options: nosniff) show a broken image or text',
})

export const urlNeedsKeyCheck = defineCheck({
  id: '2.4/url-key',
  requirement: '2.4/url-key',
  title: 'whether the url of an image needs the key',
  operation: 'images',
  cost: { requests: 3 },
  async run(context) {
    const response = await requestImages(context)
    const file = expect.isServed(response) ? await fetchImage(context, response, { key: 'none' }) : response
    if (typeof file === 'string') return expect.markNotTestable({ code: 'image-unreadable', params: { problem: file } })
    return expect.observe(file, { tried: 'the image without a key' })
  },
})

export const imageAddressChecks: readonly Check[] = [
  urlResolvesCheck,
  urlKindCheck,
  fileMediaTypeCheck,
  urlNeedsKeyCheck,
]
