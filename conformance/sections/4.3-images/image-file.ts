import type { CheckContext } from '../../engine/check.ts'
import type { RequestOptions } from '../../requests/api-request.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { ImageProblem } from '../../findings/media.ts'
import { type ImageFacts, readImage } from './image-facts.ts'
import { getItems, getMember } from '../shared/response-access.ts'

/** The response with the image file, or the reason why the suite did not request it. */
export type ImageFile = Exchange | ImageProblem

/** Requests two images, or one if the target rejects that. The second shows whether each image is stored. */
export async function requestImages({ shared }: CheckContext): Promise<Exchange> {
  const two = await shared.images({ n: 2 })
  return expect.isServed(two) ? two : shared.images()
}

/** Requests the last image of an image result from the target. Never sends a request to another host. */
export async function fetchImage(
  { baseUrl, shared }: CheckContext,
  result: Exchange,
  { key = 'funded' }: Pick<RequestOptions, 'key'> = {},
): Promise<ImageFile> {
  const url = getMember(getItems(getMember(result.json, 'data')).at(-1), 'url')
  if (typeof url !== 'string') return 'no-url'
  const path = pathUnder(baseUrl, url)
  if (path === undefined) return 'outside-base-address'
  return shared.send({ method: 'GET', path, key })
}

/** Redirect statuses for which clients follow the header Location. */
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308]

/** Returns the response with the image file, or the reason why the suite, which follows no redirect, has none. */
export function withoutRedirect(file: ImageFile): ImageFile {
  if (typeof file === 'string') return file
  const isRedirect = REDIRECT_STATUSES.includes(file.status) && file.headers['location'] !== undefined
  return isRedirect ? 'redirected' : file
}

/** Returns the path and query of a URL below the base URL. Returns undefined for other URLs. */
function pathUnder(baseUrl: string, url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const [address, base] = [new URL(url), new URL(`${baseUrl}/`)]
  if (address.origin !== base.origin || !address.pathname.startsWith(base.pathname)) return undefined
  return `/${address.pathname.slice(base.pathname.length)}${address.search}`
}

/** Reads the format and size of a fetched image, or returns the reason or error response instead. */
export function readImageFacts(response: ImageFile): ImageFacts | ImageProblem | Exchange {
  const file = withoutRedirect(response)
  if (typeof file === 'string') return file
  if (!expect.isServed(file)) return file
  return readImage(file.body) ?? 'not-an-image'
}

/** Returns true for the facts of an image, and false for a problem or an error response. */
export function isImage(facts: ReturnType<typeof readImageFacts>): facts is ImageFacts {
  return typeof facts === 'object' && 'format' in facts
}

/** Formats the size of an image as `<width>x<height>`, like the parameter of a request. */
export function formatImageSize({ size }: ImageFacts): string | undefined {
  return size === undefined ? undefined : `${size.widthPx}x${size.heightPx}`
}
