import { IMAGE_PATH_PREFIX } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { parameterTableChecks } from './4-parameters.ts'
import { inLatin1, observationCheck } from './observe.ts'
import { at, isObject, items, show, timestampProblem } from './read.ts'
import { modelFor, takesUsualForm, unlessServedOtherwise } from './usual-form.ts'

const IMAGE_EXTENSION = /\.(png|jpe?g|webp|gif|avif|bmp|tiff?|svg|heic)$/i
const MALFORMED_SIZES = ['large', '256', '256x', 'x256', '256x256x256', '256*256', 'axb']

/** Looks at each item of `data`; an answer without any has no image in it. */
function eachImage(
  answer: Exchange,
  problem: (image: unknown, place: string) => string | undefined,
): string | undefined {
  const data = at(answer.json, 'data')
  if (!Array.isArray(data) || data.length === 0) return `data is ${show(data)}, not an array with items`
  return items(data)
    .map((image, index) => problem(image, `data[${index}]`))
    .find((found) => found !== undefined)
}

/** A query or fragment after the extension is not shown, and is not held against the address. */
function pathOf(url: string): string {
  return url.split(/[?#]/)[0] ?? url
}

interface Shape {
  readonly name: string
  readonly title: string
  readonly expected: string
  problem(answer: Exchange, context: CheckContext): string | undefined
}

const SHAPES: readonly Shape[] = [
  {
    name: 'created',
    title: 'an image result has a created time in whole seconds',
    expected: 'created, an integer Unix time in seconds',
    problem: ({ json }) => timestampProblem('created', at(json, 'created')),
  },
  {
    name: 'data',
    title: 'the data of an image result are objects, each with a url, a string',
    expected: 'data, an array of objects with a url',
    problem: (answer) =>
      eachImage(answer, (image, place) => {
        if (!isObject(image)) return `${place} is ${show(image)}, not an object`
        const url = at(image, 'url')
        return typeof url === 'string' ? undefined : `${place}.url is ${show(url)}`
      }),
  },
  {
    name: 'url-address',
    title: 'the url of an image lies under {base_url}/v1/images/',
    expected: 'an address under {base_url}/v1/images/',
    problem: (answer, { baseUrl }) =>
      eachImage(answer, (image, place) => {
        const url = at(image, 'url')
        const under = typeof url === 'string' && liesUnder(url, `${baseUrl}${IMAGE_PATH_PREFIX}`)
        return under ? undefined : `${place}.url is ${show(url)}`
      }),
  },
  {
    name: 'url-extension',
    title: 'the url of an image ends in an image file extension',
    expected: 'an image file extension at the end',
    problem: (answer) =>
      eachImage(answer, (image, place) => {
        const url = at(image, 'url')
        return typeof url === 'string' && IMAGE_EXTENSION.test(pathOf(url)) ? undefined : `${place}.url is ${show(url)}`
      }),
  },
]

/** Compares as addresses, so that the letter case of a host and a default port make no difference. */
function liesUnder(url: string, root: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(root)) return false
  const [address, parent] = [new URL(url), new URL(root)]
  return (
    address.origin === parent.origin &&
    address.pathname.startsWith(parent.pathname) &&
    address.pathname.length > parent.pathname.length
  )
}

/** What speaks against an image generation result; nothing where all its fields are as the document has them. */
export function imageResultProblem(answer: Exchange, context: CheckContext): string | undefined {
  return SHAPES.map(({ problem }) => problem(answer, context)).find((found) => found !== undefined)
}

const shapeChecks = SHAPES.map(({ name, title, expected, problem }) =>
  defineCheck({
    id: `2.4/${name}`,
    requirement: `2.4/${name}`,
    title,
    operation: 'images',
    needs: ['key', 'imagesModel'],
    cost: { requests: 1 },
    run: async (context) => expect.holds(await context.images(), expected, (answer) => problem(answer, context)),
  }),
)

function imageCount(answer: Exchange, count: number): string | undefined {
  const found = items(at(answer.json, 'data')).length
  return found === count ? undefined : `data has ${found} items`
}

export const numberDefault = defineCheck({
  id: '8/n-default',
  requirement: '8/n-default',
  title: 'without n there is one image',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: { requests: 2 },
  async run({ images }) {
    const answer = await images({ n: undefined })
    const outcome = expect.holds(answer, 'one item in data', (seen) => imageCount(seen, 1))
    return unlessServedOtherwise(outcome, answer, () => images({ n: 1 }), 'with n 1')
  },
})

export const oneImage = defineCheck({
  id: '4.3/n-one',
  requirement: '4.3/n',
  title: 'a request for one image is served as one that does not say how many',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: { requests: 2 },
  async run({ images }) {
    const answer = await images({ n: 1 })
    const outcome = expect.holds(answer, 'one item in data', (seen) => imageCount(seen, 1))
    return unlessServedOtherwise(outcome, answer, () => images(), 'without n')
  },
})

export const withoutSize = defineCheck({
  id: '4.3/without-size',
  requirement: '4.3/size',
  title: 'a request without a size is accepted',
  operation: 'images',
  needs: ['key'],
  cost: { requests: 2 },
  async run(context) {
    const model = modelFor(context, 'images')
    const usual = await context.images({ model, size: undefined })
    return takesUsualForm(usual, () => context.images({ model, size: '1024x1024' }), 'with the size "1024x1024"')
  },
})

/** The upper bound of n is not shown: a target that serves one image and refuses two keeps the sentence. */
const COUNTS = [
  { name: 'two', n: 2 },
  { name: 'four', n: 4 },
] as const

const numberOfImages = COUNTS.map(({ name, n }) =>
  defineCheck({
    id: `4.3/n-${name}`,
    requirement: '4.3/n',
    title: `a request for ${name} images that is served gives ${name}`,
    operation: 'images',
    needs: ['key', 'imagesModel'],
    cost: { requests: 2 },
    async run({ images }) {
      const expected = [`${name} items in data`, '400: the upper bound of n is not shown']
      const answer = await images({ n })
      if (answer.error === undefined && answer.status === 400) {
        return expect.holds(await images({ n: 1 }), expected, () => undefined)
      }
      return expect.holds(answer, expected, (seen) => imageCount(seen, n))
    },
  }),
)

export const sizeMalformed = defineCheck({
  id: '4.3/size-malformed',
  requirement: '4.3/size',
  title: 'a size that is not of the form <width>x<height> is refused with 400',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: { requests: 2 + MALFORMED_SIZES.length },
  async run({ images }) {
    // Allowed sizes are not shown: where the usual one is refused, the twin has none.
    const sized = await images({ size: '1024x1024' })
    const twin = expect.served(sized) ? sized : await images()
    const mistakes: expect.Mistake[] = []
    for (const size of MALFORMED_SIZES) mistakes.push({ what: `size ${show(size)}`, answer: await images({ size }) })
    return expect.everyRefusal(mistakes, 400, { becauseTwinWorks: twin })
  },
})

const silenceChecks = [
  { name: 'size-usual', requirement: '4.3/sizes', tried: 'size "1024x1024"', fields: { size: '1024x1024' } },
  { name: 'size-odd', requirement: '4.3/sizes', tried: 'size "300x200"', fields: { size: '300x200' } },
  { name: 'size-zero', requirement: '4.3/sizes', tried: 'size "0x0"', fields: { size: '0x0' } },
  { name: 'n-zero', requirement: '4.3/n-lower-bound', tried: 'n 0', fields: { n: 0 } },
  { name: 'prompt-empty', requirement: '4.3/prompt-empty', tried: 'an empty prompt', fields: { prompt: '' } },
].map(({ name, requirement, tried, fields }) =>
  observationCheck({ id: `4.3/${name}`, requirement, tried, operation: 'images', ask: ({ images }) => images(fields) }),
)

/** Whether bytes that are no UTF-8 may stand in JSON is not shown: a reader may refuse them or put others in their place. */
const notUtf8 = observationCheck({
  id: '4.3/invalid-utf8',
  requirement: '4.3/prompt-bytes',
  tried: 'bytes that are no UTF-8',
  operation: 'images',
  ask: (context) =>
    context.images(
      {},
      { rawBody: inLatin1(JSON.stringify({ model: context.models.images, prompt: 'A stone, caf\u00e9' })) },
    ),
})

export const unicodePrompt = defineCheck({
  id: '4.3/unicode-prompt',
  requirement: '4.3/prompt',
  title: 'a prompt in any script is accepted',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: { requests: 1 },
  run: async ({ images }) =>
    expect.success(await images({ prompt: 'Ein Fuchs, лиса, 狐狸 🦊' }), 'the request is answered'),
})

export const imageResultChecks: readonly Check[] = shapeChecks

export const imageDefaultChecks: readonly Check[] = [numberDefault]

export const imageChecks: readonly Check[] = [
  ...parameterTableChecks('images'),
  unicodePrompt,
  notUtf8,
  oneImage,
  ...numberOfImages,
  withoutSize,
  sizeMalformed,
  ...silenceChecks,
]
