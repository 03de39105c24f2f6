import { toJsonObject } from '../../common/json-object.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import { readImageSize, type ImageSize } from './media/image-size.ts'

/** Number of tokens of an image at low detail. At high detail, each tile adds TILE_TOKENS. */
const BASE_TOKENS = 85
const TILE_TOKENS = 170
const TILE_PX = 512
/** Maximum side of an image at high detail. Larger images are scaled down. */
const MAX_SIDE_PX = 2048
const MAX_SHORTER_SIDE_PX = 768
/**
 * Assumed size of an image if its data does not state one, or if it is given by a URL. The emulator never requests such
 * URLs.
 */
const ASSUMED_SIZE: ImageSize = { width: 1024, height: 1024 }

/** Length of the beginning of an image file that usually contains the image size, in Base64 characters. */
const HEADER_CHARACTERS = 4 * 1024

export interface PromptImage {
  /** URL of the image, or its data as a `data:` URL. */
  readonly url: string
  readonly detail: unknown
}

/**
 * Reads the image of a content part: `{type: "image_url", image_url: {url, detail}}`. `image_url` may also be a string.
 * Returns undefined if the part contains no image.
 */
export function readPromptImage(part: unknown): PromptImage | undefined {
  const { image_url: image, detail } = toJsonObject(part)
  if (typeof image === 'string') return { url: image, detail }
  const { url, detail: innerDetail } = toJsonObject(image)
  return typeof url === 'string' ? { url, detail: innerDetail } : undefined
}

/**
 * Counts the tokens of an image as common services do. With the rule `fixed`, and at low detail, an image costs 85
 * tokens. Any other image costs 85, plus 170 for each tile of 512 × 512 pixels after it is scaled down.
 */
export function countImageTokens(
  { url, detail }: PromptImage,
  rule: Exclude<BehaviourOptions['image-tokens'], 'text'>,
): number {
  if (detail === 'low' || rule === 'fixed') return BASE_TOKENS
  const { width, height } = scaleDown(readDataUrlSize(url) ?? ASSUMED_SIZE)
  return BASE_TOKENS + TILE_TOKENS * Math.ceil(width / TILE_PX) * Math.ceil(height / TILE_PX)
}

function scaleDown({ width, height }: ImageSize): ImageSize {
  const fit = Math.min(1, MAX_SIDE_PX / Math.max(width, height))
  const scale = Math.min(fit, MAX_SHORTER_SIDE_PX / Math.min(width, height))
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) }
}

function readDataUrlSize(url: string): ImageSize | undefined {
  const start = /^data:[^,]{0,200};base64,/i.exec(url)?.[0].length
  if (start === undefined) return undefined
  const header = readImageSize(Buffer.from(url.slice(start, start + HEADER_CHARACTERS), 'base64'))
  // In a JPEG file, a preview of any length may precede the size.
  return header ?? readImageSize(Buffer.from(url.slice(start), 'base64'))
}
