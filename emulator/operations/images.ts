import { IMAGE_PATH_PREFIX, PARAMETERS } from '../../contract/facts.ts'
import { invalidParameter, isRefusal, type Refusal } from '../core/api-errors.ts'
import { countTokens } from './text/count-tokens.ts'
import { imageName, MOST_PIXELS_PER_EDGE } from './media/image-name.ts'
import type { ReadContext, RequestFields, Work } from './operation.ts'
import { findModel, readParameters, requireListed, requireText, requireWithin } from './parameters.ts'

/** Used when a request names no size, where it is allowed: the document gives no default (section 4.3). */
const USUAL_SIZE = '1024x1024'

/** POST /v1/images/generations (section 4.3). The images are drawn when their URLs are asked for. */
export function readImages(fields: RequestFields, { settings, baseUrl }: ReadContext): Work | Refusal {
  const { decisions } = settings
  const values = readParameters(PARAMETERS.images, fields, decisions)
  if (isRefusal(values)) return values
  const { prompt, n } = values
  const wanted = values.size ?? defaultSize(decisions.sizes)
  const fault =
    requireText('prompt', prompt, decisions) ??
    requireWithin('n', n, decisions['least-n'], decisions['most-n']) ??
    requireListed('size', wanted, decisions.sizes)
  if (fault !== undefined) return fault
  const size = readSize(wanted)
  if (isRefusal(size)) return size
  const model = findModel(values.model, 'images', decisions)
  if (isRefusal(model)) return model

  const usedTokens = countTokens(prompt) + n * decisions['tokens-per-image']
  return {
    operation: 'images',
    model: model.id,
    fingerprint: `images ${model.id} ${n} ${size.width}x${size.height} ${prompt}`,
    ceilingTokens: usedTokens,
    freeTokens: 0,
    generate(draw, created) {
      const query = decisions['image-url-query'] === 'signed' ? '?signature=touchstone' : ''
      const data = Array.from({ length: n }, () => ({
        url: baseUrl + IMAGE_PATH_PREFIX + imageName({ ...size, pattern: draw.hex(16) }, settings.seed) + query,
      }))
      return { contentType: 'application/json', body: JSON.stringify({ created, data }), usedTokens, lastToken: 0 }
    },
  }
}

/** The size of an image for which none is named: one that is allowed. */
function defaultSize(sizes: 'any' | readonly string[]): string {
  return sizes === 'any' || sizes.includes(USUAL_SIZE) ? USUAL_SIZE : (sizes[0] ?? USUAL_SIZE)
}

/** Reads `<width>x<height>`; the allowed values are not shown (section 4.3), so any within bounds will do. */
function readSize(size: string): { readonly width: number; readonly height: number } | Refusal {
  const match = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(size)
  const width = Number(match?.[1])
  const height = Number(match?.[2])
  if (width <= MOST_PIXELS_PER_EDGE && height <= MOST_PIXELS_PER_EDGE) return { width, height }
  const bounds = `both from 1 to ${MOST_PIXELS_PER_EDGE}`
  return invalidParameter('size', `'size' must have the form <width>x<height>, ${bounds}, for example 1024x1024.`)
}
