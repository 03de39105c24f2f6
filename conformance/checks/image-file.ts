import type { CheckContext, RequestOptions } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { type ImageFacts, readImage } from './media/image-facts.ts'
import { at } from './read.ts'

/** The file behind the first image of an answer, or a sentence that says why none could be asked for. */
export type ImageFile = Exchange | string

/** Fetches the first image of an answer, from the target alone: an address that leads elsewhere is not contacted. */
export async function fetchImage(
  { baseUrl, keys, send }: CheckContext,
  answer: Exchange,
  { key = keys.funded }: Pick<RequestOptions, 'key'> = {},
): Promise<ImageFile> {
  const url = at(answer.json, 'data', 0, 'url')
  if (typeof url !== 'string') return 'the answer has no url'
  const path = pathUnder(baseUrl, url)
  if (path === undefined) return 'the url does not begin with the base address: nothing else is contacted'
  return send({ method: 'GET', path, headers: key === null ? {} : { authorization: `Bearer ${key}` } })
}

/** Path and query of an address relative to the base address; undefined where it leads elsewhere. */
function pathUnder(baseUrl: string, url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const [address, base] = [new URL(url), new URL(`${baseUrl}/`)]
  if (address.origin !== base.origin || !address.pathname.startsWith(base.pathname)) return undefined
  return `/${address.pathname.slice(base.pathname.length)}${address.search}`
}

/** What a fetched image says of itself; a sentence where it was not fetched or is none. */
export function factsOf(file: ImageFile): ImageFacts | string {
  if (typeof file === 'string') return file
  if (!expect.served(file)) return `the image: ${expect.answered(file)}`
  return readImage(file.body) ?? 'the file at the url begins as no image does'
}

/** The size of an image as a request names it, `<width>x<height>`; undefined where it says none. */
export function sizeText({ size }: ImageFacts): string | undefined {
  return size === undefined ? undefined : `${size.widthPx}x${size.heightPx}`
}
