import { type CheckContext, defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { readImageFacts, fetchImage, isImage, formatImageSize, requestImages } from './image-file.ts'

/** Common sizes, starting with those that are rarely the default size. */
const SIZES = ['512x512', '256x256', '1024x1024']

interface SizedImage {
  readonly format: string
  /** Size of the image in pixels: `<width>x<height>`. */
  readonly size: string
}

async function readOwnImage(context: CheckContext): Promise<SizedImage | Outcome> {
  const response = await requestImages(context)
  if (!expect.isServed(response)) return expect.markNoEvidence('unsized-image')
  return readImageSize(context, response)
}

async function readImageSize(context: CheckContext, response: Exchange): Promise<SizedImage | Outcome> {
  const facts = readImageFacts(await fetchImage(context, response))
  if (typeof facts === 'string') {
    return expect.markNotTestable({ code: 'image-unreadable', params: { problem: facts } })
  }
  if (!isImage(facts))
    return expect.markNotTestable({ code: 'image-not-served', params: expect.getResponseParams(facts) })
  const size = formatImageSize(facts)
  return size === undefined
    ? expect.markNotTestable({ code: 'image-unreadable', params: { problem: 'no-size' } })
    : { format: facts.format, size }
}

export const ownSizeCheck = defineCheck({
  id: '4.3/own-size',
  requirement: '4.3/size-of-its-own',
  title: 'accepts the size of an image that it generated, or a common size if it is unknown',
  operation: 'images',
  cost: { requests: SIZES.length + 3 },
  async run(context) {
    const image = await readOwnImage(context)
    if ('verdict' in image) return acceptsCommonSize(context, image)
    const { size } = image
    const outcome = expect.checkSuccess(await context.shared.images({ size }))
    return outcome.verdict === 'not-testable'
      ? outcome
      : expect.addDifference({ parameter: 'size', value: size }, outcome)
  },
})

/** Passes if the target accepts a common size. The specification does not list the valid sizes. */
async function acceptsCommonSize(context: CheckContext, unknown: Outcome): Promise<Outcome> {
  for (const size of SIZES) {
    const outcome = expect.checkSuccess(await context.shared.images({ size }))
    if (outcome.verdict === 'pass') return expect.addDifference({ parameter: 'size', value: size }, outcome)
  }
  return unknown
}

export const imageSizeCheck = defineCheck({
  id: '2.4/image-size',
  requirement: '2.4/image-size',
  title: 'generates an image of the requested size',
  operation: 'images',
  cost: { requests: SIZES.length + 5 },
  async run(context) {
    const own = await readOwnImage(context)
    // A target that ignores the parameter also generates its default size if a request specifies that size.
    const others = SIZES.filter((size) => 'verdict' in own || size !== own.size)
    for (const size of others) {
      const response = await context.shared.images({ size })
      if (expect.isServed(response)) return compareSize(context, response, size)
    }
    // The specification does not list the valid sizes, but the target must accept the size of its default image.
    if ('verdict' in own) return expect.markNoEvidence('accepted-size')
    return compareSize(context, await context.shared.images({ size: own.size }), own.size)
  },
})

const IMAGE_SIZE: Expectation = { rule: 'image-size' }

async function compareSize(context: CheckContext, response: Exchange, size: string): Promise<Outcome> {
  const difference = { parameter: 'size', value: size }
  if (!expect.isServed(response)) {
    const params = expect.getResponseParams(response)
    return expect.addDifference(difference, expect.markNotTestable({ code: 'request-not-served', params }))
  }
  const image = await readImageSize(context, response)
  if ('verdict' in image) return image
  if (image.size === size) return expect.pass(IMAGE_SIZE)
  const deviation = {
    code: 'wrong-image',
    params: { problem: 'other-size', actualFormat: image.format, actualSize: image.size },
  } as const
  const consequence = 'programs that reserve space for the requested size show the image cropped or stretched'
  return expect.addDifference(difference, expect.warn(IMAGE_SIZE, deviation, consequence))
}
