import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { factsOf, fetchImage, sizeText } from './image-file.ts'

/** Sizes in wide use that are seldom the default: a target that goes by its default alone shows itself. */
const SIZES = ['512x512', '256x256', '1024x1024']

/** An image made without a size, and its size where that can be read; else why not. */
interface OwnSize {
  readonly answer: Exchange
  readonly size?: string
  readonly unreadable?: string
}

async function readOwnSize(context: CheckContext): Promise<OwnSize> {
  const answer = await context.images()
  if (!expect.served(answer)) return { answer }
  const facts = factsOf(await fetchImage(context, answer))
  if (typeof facts === 'string') return { answer, unreadable: facts }
  const size = sizeText(facts)
  return size === undefined ? { answer, unreadable: `the ${facts.format} file says no size` } : { answer, size }
}

/** Where no size can be read, nothing contradicts the sentence, and there is nothing that the tester could give. */
export const ownSize = defineCheck({
  id: '4.3/own-size',
  requirement: '4.3/size-of-its-own',
  title: 'a size that the target itself used is accepted',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: { requests: 3 },
  async run(context) {
    const { answer, size, unreadable } = await readOwnSize(context)
    const expected = 'the request is answered'
    if (size !== undefined) {
      const outcome = expect.success(await context.images({ size }), expected)
      return outcome.verdict === 'not-testable' ? outcome : { ...outcome, actual: `size "${size}": ${outcome.actual}` }
    }
    const outcome = expect.success(answer, expected)
    if (outcome.verdict !== 'pass') return expect.notTestable('no image without a size was made')
    return { ...outcome, actual: `no size to ask for could be read: ${unreadable ?? ''}` }
  },
})

export const imageSize = defineCheck({
  id: '2.4/image-size',
  requirement: '2.4/image-size',
  title: 'an image has the size that was asked for',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: { requests: SIZES.length + 4 },
  async run(context) {
    for (const size of SIZES) {
      const answer = await context.images({ size })
      if (expect.served(answer)) return compareSize(context, answer, size)
    }
    // Allowed sizes are not shown: the one that is allowed for certain is the target's own.
    const { size } = await readOwnSize(context)
    if (size === undefined) return expect.notTestable('no size was found that the target takes')
    return compareSize(context, await context.images({ size }), size)
  },
})

async function compareSize(context: CheckContext, answer: Exchange, size: string): Promise<Outcome> {
  if (!expect.served(answer)) return expect.notTestable(`size "${size}": ${expect.answered(answer)}`)
  const facts = factsOf(await fetchImage(context, answer))
  if (typeof facts === 'string') return expect.notTestable(facts)
  const found = sizeText(facts)
  return expect.keeps(
    answer,
    'an image of the size in the request',
    () => (found === undefined || found === size ? undefined : `size "${size}": the ${facts.format} file is ${found}`),
    'programs that reserve room for the size they asked for show the image cut or stretched',
  )
}

export const imageSizeChecks: readonly Check[] = [ownSize]

export const imageFileChecks: readonly Check[] = [imageSize]
