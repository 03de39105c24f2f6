import { defineCheck } from '../harness/check.ts'
import type { Check, CheckContext, Outcome } from '../harness/check.ts'
import type { Exchange } from '../harness/exchange.ts'
import * as expect from '../harness/expect.ts'
import { at } from './read.ts'

const CONSEQUENCE =
  'programs that show or download the image by its url, as all clients of the convention do, get nothing'

/** How a file of each kind begins: an offset and the bytes there, as Latin-1 text. */
const BEGINNINGS: readonly { readonly extensions: RegExp; readonly offset: number; readonly text: RegExp }[] = [
  { extensions: /\.png$/i, offset: 0, text: /^\x89PNG\r\n/ },
  { extensions: /\.jpe?g$/i, offset: 0, text: /^\xff\xd8\xff/ },
  { extensions: /\.gif$/i, offset: 0, text: /^GIF8[79]a/ },
  { extensions: /\.webp$/i, offset: 8, text: /^WEBP/ },
  { extensions: /\.bmp$/i, offset: 0, text: /^BM/ },
  { extensions: /\.tiff?$/i, offset: 0, text: /^(II\*\0|MM\0\*)/ },
  { extensions: /\.avif$/i, offset: 4, text: /^ftypavi[fs]/ },
  { extensions: /\.heic$/i, offset: 4, text: /^ftyp(hei|mif|msf)/ },
  { extensions: /\.svg$/i, offset: 0, text: /^\s*</ },
]

/** Fetches the first image of an answer; a sentence when its address leads elsewhere than to the target. */
async function fetchImage(
  { baseUrl, keys, send }: CheckContext,
  answer: Exchange,
  withKey: boolean,
): Promise<Exchange | string> {
  const url = at(answer.json, 'data', 0, 'url')
  if (typeof url !== 'string') return 'the answer has no url'
  const path = pathUnder(baseUrl, url)
  if (path === undefined) return 'the url does not begin with the base address: nothing else is contacted'
  const headers: Record<string, string> = withKey ? { authorization: `Bearer ${keys.funded}` } : {}
  return send({ method: 'GET', path, headers })
}

/** Path and query of an address relative to the base address; undefined where it leads elsewhere. */
function pathUnder(baseUrl: string, url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const [address, base] = [new URL(url), new URL(`${baseUrl}/`)]
  if (address.origin !== base.origin || !address.pathname.startsWith(base.pathname)) return undefined
  return `/${address.pathname.slice(base.pathname.length)}${address.search}`
}

/** Judges the file behind the first image; without a file there is a warning, also where the answer is a redirect. */
async function judgeFile(
  context: CheckContext,
  expected: string,
  deviation: expect.Contradiction,
  consequence: string,
): Promise<Outcome> {
  const answer = await context.images()
  if (!expect.served(answer)) return expect.keeps(answer, expected, deviation, consequence)
  const file = await fetchImage(context, answer, true)
  if (typeof file === 'string') return expect.warned(expected, file, CONSEQUENCE)
  return expect.tolerates(file, { asWellAs: answer }, expected, deviation, consequence)
}

export const urlResolves = defineCheck({
  id: '2.4/url-resolves',
  requirement: '2.4/url-resolution',
  title: 'the url of an image leads to a file',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: { requests: 2 },
  run: (context) =>
    judgeFile(
      context,
      'a file at the address',
      ({ body }) => (body.length > 0 ? undefined : 'the file is empty'),
      CONSEQUENCE,
    ),
})

export const urlKind = defineCheck({
  id: '2.4/file-kind',
  requirement: '2.4/url-resolution',
  title: 'the file at the url is of the kind that its extension names',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: { requests: 2 },
  run: (context) =>
    judgeFile(
      context,
      'a file that begins as its extension says',
      ({ body, request }) => kindProblem(body, request.path.split('?')[0] ?? ''),
      'programs that choose a decoder by the extension, and sites that set the media type by it, show a broken image',
    ),
})

function kindProblem(bytes: Uint8Array, path: string): string | undefined {
  const name = path.split('/').at(-1) ?? ''
  const kind = BEGINNINGS.find(({ extensions }) => extensions.test(name))
  if (kind === undefined) return `${name} has no image file extension`
  const beginning = Buffer.from(bytes.subarray(kind.offset, kind.offset + 64)).toString('latin1')
  return kind.text.test(beginning) ? undefined : `the file ${name} begins otherwise`
}

export const urlNeedsKey = defineCheck({
  id: '2.4/url-key',
  requirement: '2.4/url-key',
  title: 'whether the url of an image needs the key',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: { requests: 2 },
  async run(context) {
    const answer = await context.images()
    const file = expect.served(answer) ? await fetchImage(context, answer, false) : answer
    if (typeof file === 'string') return { verdict: 'observed', expected: [], actual: file }
    return expect.observed(file, (seen) => `the image without a key: ${expect.answered(seen)}`)
  },
})

export const imageAddressChecks: readonly Check[] = [urlResolves, urlKind, urlNeedsKey]
