import { IMAGE_PATH_PREFIX } from '../../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { UrlProblem } from '../../findings/body.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { buildParameterChecks } from '../4-http/parameters.ts'
import {
  createWrongType,
  createWrongValue,
  defineField,
  findFirstDeviation,
  findItemDeviation,
  findTypeDeviation,
  type ResultField,
} from '../shared/fields.ts'
import { encodeLatin1, defineObservationCheck } from '../shared/observation-check.ts'
import { getMember, isObject, getItems } from '../shared/response-access.ts'
import { checkCommonForm, selectModel, retryInCommonForm } from '../shared/common-form.ts'

const PARAMETER_IDS = {
  model: { requirement: '4.3/model', missing: '4.3/model-missing', wrongType: '4.3/model-wrong-type' },
  prompt: { requirement: '4.3/prompt', missing: '4.3/prompt-missing', wrongType: '4.3/prompt-wrong-type' },
  n: { requirement: '4.3/n', wrongType: '4.3/n-wrong-type', fraction: '4.3/n-fraction' },
  size: { requirement: '4.3/size', wrongType: '4.3/size-wrong-type' },
} as const

const IMAGE_EXTENSION = /\.(png|jpe?g|webp|gif|avif|bmp|tiff?|svg|heic)$/i
const MALFORMED_SIZES = ['large', '256', '256x', 'x256', '256x256x256', '256*256', 'axb']

/** Returns a URL without its query and fragment, which may follow the file extension. */
function pathOf(url: string): string {
  return url.split(/[?#]/)[0] ?? url
}

/** The base URL of the target, which determines the valid URLs of images. */
type ImageOrigin = Pick<CheckContext, 'baseUrl'>

interface ImageField extends Omit<ResultField, 'find'> {
  find(json: unknown, origin: ImageOrigin): Deviation | undefined
}

function urlDeviation(json: unknown, findProblem: (url: string) => UrlProblem | undefined): Deviation | undefined {
  return findItemDeviation(json, ['data'], (path) => {
    const url = getMember(json, ...path, 'url')
    if (typeof url !== 'string') return createWrongType([...path, 'url'], url)
    const urlProblem = findProblem(url)
    return urlProblem === undefined ? undefined : createWrongValue([...path, 'url'], url, { urlProblem })
  })
}

const RESULT_FIELDS: readonly ImageField[] = [
  defineField('2.4/created', 'gives an image result a created time in whole seconds', 'created', 'unix-seconds'),
  {
    id: '2.4/data',
    title: 'returns a list of objects in data, each with a url that is a string',
    expected: { field: 'data[].url', type: 'string' },
    find: (json) =>
      findItemDeviation(json, ['data'], (path) =>
        isObject(getMember(json, ...path))
          ? findTypeDeviation(json, [...path, 'url'], 'string')
          : createWrongType(path, getMember(json, ...path)),
      ),
  },
  {
    id: '2.4/url-address',
    title: 'gives an image a url under {base_url}/v1/images/',
    expected: { rule: 'image-url-address' },
    find: (json, { baseUrl }) => urlDeviation(json, (url) => findAddressProblem(url, `${baseUrl}${IMAGE_PATH_PREFIX}`)),
  },
  {
    id: '2.4/url-extension',
    title: 'gives an image a url that ends in an image file extension',
    expected: { rule: 'image-url-extension' },
    find: (json) => urlDeviation(json, (url) => (IMAGE_EXTENSION.test(pathOf(url)) ? undefined : 'extension')),
  },
]

/**
 * Returns whether a URL lies below a root URL. Compares parsed URLs, so that the letter case of the host and an
 * explicit default port make no difference. Spaces around the URL and a user name in it do, because they are not part of
 * the address.
 */
function isUnder(url: string, root: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(root) || url !== url.trim()) return false
  const [address, parent] = [new URL(url), new URL(root)]
  return (
    address.origin === parent.origin &&
    address.username === parent.username &&
    address.pathname.startsWith(parent.pathname) &&
    address.pathname.length > parent.pathname.length
  )
}

/** Returns how a URL differs from the addresses below a root URL. Returns undefined if it lies below the root. */
function findAddressProblem(text: string, root: string): UrlProblem | undefined {
  if (isUnder(text, root)) return undefined
  if (/\s/.test(text)) return 'whitespace'
  const url = URL.parse(text)
  const parent = URL.parse(root)
  if (url === null || parent === null || !url.pathname.startsWith(IMAGE_PATH_PREFIX)) return 'images-path'
  if (url.host !== parent.host) return 'host'
  if (url.protocol === 'http:' && parent.protocol === 'https:') return 'scheme'
  return parent.pathname === IMAGE_PATH_PREFIX ? 'host' : 'prefix'
}

export function findImageResultDeviation({ json }: Exchange, origin: ImageOrigin): Deviation | undefined {
  return findFirstDeviation(RESULT_FIELDS.map(({ find }) => find(json, origin)))
}

export const resultFieldChecks = RESULT_FIELDS.map(({ id, title, expected, find }) =>
  defineCheck({
    id,
    requirement: id,
    title,
    operation: 'images',
    run: async (context) =>
      expect.checkResponse(await context.shared.images(), expected, ({ json }) => find(json, context)),
  }),
)

const ONE_IMAGE: Expectation = { field: 'data', count: 1 }

function countDeviation({ json }: Exchange, count: number): Deviation | undefined {
  const actualCount = getItems(getMember(json, 'data')).length
  return actualCount === count ? undefined : { code: 'wrong-count', params: { path: 'data', actualCount } }
}

export const imageCountDefaultCheck = defineCheck({
  id: '8/n-default',
  requirement: '8/n-default',
  title: 'generates one image without n',
  operation: 'images',
  cost: { requests: 2 },
  async run({ images, shared }) {
    const response = await shared.images({ n: undefined })
    const outcome = expect.checkResponse(response, ONE_IMAGE, () => countDeviation(response, 1))
    return retryInCommonForm(outcome, response, {
      servedWith: { parameter: 'n', value: 1 },
      send: () => images({ n: 1 }),
    })
  },
})

/** The upper bound of `n` is unspecified, so a target that generates one image per request may reject both. */
const COUNTS = [
  { id: '4.3/n-two', n: 2, title: 'generates two images with n 2, or rejects it with 400' },
  { id: '4.3/n-four', n: 4, title: 'generates four images with n 4, or rejects it with 400' },
] as const

export const imageChecks: readonly Check[] = [
  ...buildParameterChecks('images', PARAMETER_IDS),
  defineCheck({
    id: '4.3/unicode-prompt',
    requirement: '4.3/prompt',
    title: 'accepts a prompt in any script',
    operation: 'images',
    run: async ({ images }) => expect.checkSuccess(await images({ prompt: 'Ein Fuchs, лиса, 狐狸 🦊' })),
  }),
  // The specification does not state whether JSON may contain invalid UTF-8.
  defineObservationCheck({
    id: '4.3/invalid-utf8',
    requirement: '4.3/prompt-bytes',
    tried: 'bytes that are not valid UTF-8',
    operation: 'images',
    request: (context) =>
      context.images(
        {},
        { rawBody: encodeLatin1(JSON.stringify({ model: context.models.images, prompt: 'A stone, caf\u00e9' })) },
      ),
  }),
  defineCheck({
    id: '4.3/n-one',
    requirement: '4.3/n',
    title: 'generates one image with n 1',
    operation: 'images',
    cost: { requests: 2 },
    async run({ images, shared }) {
      const response = await shared.images({ n: 1 })
      const outcome = expect.checkResponse(response, ONE_IMAGE, () => countDeviation(response, 1))
      return retryInCommonForm(outcome, response, {
        servedWith: { parameter: 'n', omitted: true },
        send: () => images(),
      })
    },
  }),
  ...COUNTS.map(({ id, n, title }) =>
    defineCheck({
      id,
      requirement: '4.3/n',
      title,
      operation: 'images',
      cost: { requests: 2 },
      async run({ shared }) {
        const expected: Expectation = { field: 'data', count: n, orStatus: 400 }
        const response = await shared.images({ n })
        if (response.error === undefined && response.status === 400) {
          return expect.checkResponse(await shared.images({ n: 1 }), expected)
        }
        return expect.checkResponse(response, expected, () => countDeviation(response, n))
      },
    }),
  ),
  defineCheck({
    id: '4.3/without-size',
    requirement: '4.3/size',
    title: 'accepts a request without a size',
    operation: 'images',
    needs: ['funded'],
    cost: { requests: 2 },
    async run(context) {
      const model = selectModel(context, 'images')
      const usual = await context.shared.images({ model, size: undefined })
      const size = '1024x1024'
      return checkCommonForm(usual, {
        servedWith: { parameter: 'size', value: size },
        send: () => context.images({ model, size }),
      })
    },
  }),
  defineCheck({
    id: '4.3/size-malformed',
    requirement: '4.3/size',
    title: 'returns 400 for a size that is not of the form <width>x<height>',
    operation: 'images',
    cost: { requests: 2 + MALFORMED_SIZES.length },
    async run({ images, shared }) {
      // The valid sizes are unspecified, so the target may not serve this common one.
      const sized = await shared.images({ size: '1024x1024' })
      const control = expect.isServed(sized) ? sized : await shared.images()
      const invalid: expect.InvalidRequest[] = []
      for (const size of MALFORMED_SIZES) {
        invalid.push({ difference: { parameter: 'size', value: size }, response: await images({ size }) })
      }
      return expect.checkErrorResponses(invalid, 400, { control })
    },
  }),
  ...[
    { id: '4.3/size-usual', requirement: '4.3/sizes', tried: 'size "1024x1024"', fields: { size: '1024x1024' } },
    { id: '4.3/size-odd', requirement: '4.3/sizes', tried: 'size "300x200"', fields: { size: '300x200' } },
    { id: '4.3/size-zero', requirement: '4.3/sizes', tried: 'size "0x0"', fields: { size: '0x0' } },
    { id: '4.3/n-zero', requirement: '4.3/n-lower-bound', tried: 'n 0', fields: { n: 0 } },
    { id: '4.3/prompt-empty', requirement: '4.3/prompt-empty', tried: 'an empty prompt', fields: { prompt: '' } },
  ].map(({ id, requirement, tried, fields }) =>
    defineObservationCheck({
      id,
      requirement,
      tried,
      operation: 'images',
      request: ({ shared }) => shared.images(fields),
    }),
  ),
]
