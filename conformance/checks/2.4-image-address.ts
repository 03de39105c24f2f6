import { defineCheck } from '../engine/check.ts'
import type { Check } from '../engine/check.ts'
import * as expect from '../outcomes/expect.ts'
import { readImage } from './media/image-facts.ts'
import { fetchImage } from './image-file.ts'
import { mediaType } from './read.ts'

const CONSEQUENCE =
  'programs that show or download the image by its url, as all clients of the convention do, get nothing'

/** Media types that say nothing of the format, and contradict none. */
const OPEN_TYPES = ['', 'application/octet-stream', 'binary/octet-stream', 'image/*']

/** A convention about the file behind the first image. */
interface FileHabit {
  readonly id: string
  readonly title: string
  readonly expected: string
  readonly deviation: expect.Contradiction
  readonly consequence: string
}

/** Without a file there is a warning, also where the answer is a redirect. */
function fileCheck({ id, title, expected, deviation, consequence }: FileHabit): Check {
  return defineCheck({
    id,
    requirement: '2.4/url-resolution',
    title,
    operation: 'images',
    needs: ['key', 'imagesModel'],
    cost: { requests: 2 },
    async run(context) {
      const answer = await context.images()
      if (!expect.served(answer)) return expect.keeps(answer, expected, deviation, consequence)
      const file = await fetchImage(context, answer)
      if (typeof file === 'string') return expect.warned(expected, file, CONSEQUENCE)
      return expect.tolerates(file, { asWellAs: answer }, expected, deviation, consequence)
    },
  })
}

export const urlResolves = fileCheck({
  id: '2.4/url-resolves',
  title: 'the url of an image leads to a file',
  expected: 'a file at the address',
  deviation: ({ body }) => (body.length > 0 ? undefined : 'the file is empty'),
  consequence: CONSEQUENCE,
})

export const urlKind = fileCheck({
  id: '2.4/file-kind',
  title: 'the file at the url is of the kind that its extension names',
  expected: 'a file that begins as its extension says',
  deviation: ({ body, request }) => kindProblem(body, request.path.split('?')[0] ?? ''),
  consequence:
    'programs that choose a decoder by the extension, and sites that set the media type by it, show a broken image',
})

function kindProblem(bytes: Uint8Array, path: string): string | undefined {
  const name = path.split('/').at(-1) ?? ''
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase()
  if (extension === undefined) return `${name} has no image file extension`
  const image = readImage(bytes)
  if (image?.extensions.includes(extension) === true) return undefined
  return `the file ${name} ${image === undefined ? 'begins as no image does' : `is ${image.format}`}`
}

export const fileMediaType = fileCheck({
  id: '2.4/file-media-type',
  title: 'the media type of the file at the url is that of its bytes',
  expected: 'a media type of the format that the file has',
  deviation(file) {
    const image = readImage(file.body)
    const named = mediaType(file)
    if (image === undefined) return 'the file begins as no image does'
    const agrees = OPEN_TYPES.includes(named) || image.mediaTypes.includes(named)
    return agrees ? undefined : `the media type is "${named}", and the file is ${image.format}`
  },
  consequence:
    'browsers that are told not to guess (X-Content-Type-Options: nosniff) show a broken image, or a page of text',
})

export const urlNeedsKey = defineCheck({
  id: '2.4/url-key',
  requirement: '2.4/url-key',
  title: 'whether the url of an image needs the key',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: { requests: 2 },
  async run(context) {
    const answer = await context.images()
    const file = expect.served(answer) ? await fetchImage(context, answer, { key: null }) : answer
    if (typeof file === 'string') return { verdict: 'observed', expected: [], actual: file }
    return expect.observed(file, (seen) => `the image without a key: ${expect.answered(seen)}`)
  },
})

export const imageAddressChecks: readonly Check[] = [urlResolves, urlKind, fileMediaType, urlNeedsKey]
