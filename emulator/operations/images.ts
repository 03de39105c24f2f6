import { IMAGE_PATH_PREFIX, PARAMETERS } from '../../contract/facts.ts'
import { createParameterError, isApiError, type ApiError } from '../core/api-errors.ts'
import { countTokens } from './text/count-tokens.ts'
import { formatImageName, MAX_IMAGE_SIDE_PX } from './media/image-name.ts'
import type { GeneratedResponse, OperationContext, RequestFields, PreparedOperation } from './operation.ts'
import {
  findModel,
  parseParameters,
  parseOptionalFields,
  checkAllowedValue,
  checkNotEmpty,
  checkRange,
} from './parameters.ts'

interface ImageSize {
  readonly width: number
  readonly height: number
}

/**
 * Image size for requests without `size`, if the option `sizes` allows it. The specification defines no default
 * (section 4.3).
 */
const DEFAULT_SIZE = '1024x1024'

/**
 * Validates a request of POST /v1/images/generations (section 4.3). The emulator draws an image when a client requests
 * its URL.
 */
export function prepareImages(
  fields: RequestFields,
  { settings, baseUrl }: OperationContext,
): PreparedOperation | ApiError {
  const { behaviour } = settings
  const optional = parseOptionalFields('images', fields, behaviour)
  if (isApiError(optional)) return optional
  const values = parseParameters(PARAMETERS.images, fields, behaviour)
  if (isApiError(values)) return values
  const { prompt, n } = values
  const sizeText = values.size ?? chooseDefaultSize(behaviour.sizes)
  const error =
    checkNotEmpty('prompt', prompt, behaviour) ??
    checkRange('n', n, behaviour['least-n'], behaviour['most-n']) ??
    checkAllowedValue('size', sizeText, behaviour.sizes)
  if (error !== undefined) return error
  const size = parseSize(sizeText)
  if (isApiError(size)) return size
  const model = findModel(values.model, 'images', settings)
  if (isApiError(model)) return model

  const format = optional.served?.['response_format'] ?? 'url'
  if (format !== 'url' && format !== 'b64_json') {
    return createParameterError('response_format', "'response_format' must be url or b64_json.")
  }

  const usedTokens = countTokens(prompt) + n * behaviour['tokens-per-image']
  const toBody = (created: number, data: readonly object[]): GeneratedResponse => ({
    contentType: 'application/json',
    body: JSON.stringify({ created, data }),
    usedTokens,
    lastToken: 0,
  })
  return {
    operation: 'images',
    model: model.id,
    unitsPerToken: model.unitsPerToken,
    fingerprint: `images ${model.id} ${n} ${size.width}x${size.height} ${prompt}`,
    maxUsedTokens: usedTokens,
    freeTokens: 0,
    ignoredFields: optional.ignored,
    generate(random, created) {
      const query = behaviour['image-url-query'] === 'signed' ? '?signature=touchstone' : ''
      const patterns = Array.from({ length: n }, () => random.hexDigits(16))
      if (format === 'b64_json') return drawImages(patterns, size).then((data) => toBody(created, data))
      const data = patterns.map((pattern) => ({
        url: baseUrl + IMAGE_PATH_PREFIX + formatImageName({ ...size, pattern }, settings.seed) + query,
      }))
      return toBody(created, data)
    },
  }
}

/** Draws images one after another, so that the emulator serves other requests meanwhile. */
async function drawImages(patterns: readonly string[], size: ImageSize): Promise<readonly { b64_json: string }[]> {
  // Imported only if the response contains the image, because images are usually drawn when their URL is requested.
  const { generatePng } = await import('./media/png.ts')
  const images: { b64_json: string }[] = []
  for (const pattern of patterns) {
    const file = await generatePng({ ...size, seed: Buffer.from(pattern, 'hex') })
    images.push({ b64_json: file.toString('base64') })
  }
  return images
}

/** Returns the default size if it is allowed, otherwise the first allowed size. */
function chooseDefaultSize(sizes: 'any' | readonly string[]): string {
  return sizes === 'any' || sizes.includes(DEFAULT_SIZE) ? DEFAULT_SIZE : (sizes[0] ?? DEFAULT_SIZE)
}

/**
 * Parses `<width>x<height>`. The specification leaves the allowed sizes open (section 4.3), so the function accepts
 * every size up to MAX_IMAGE_SIDE_PX.
 */
function parseSize(size: string): ImageSize | ApiError {
  const match = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(size)
  const width = Number(match?.[1])
  const height = Number(match?.[2])
  if (width <= MAX_IMAGE_SIDE_PX && height <= MAX_IMAGE_SIDE_PX) return { width, height }
  const bounds = `both from 1 to ${MAX_IMAGE_SIDE_PX}`
  return createParameterError('size', `'size' must have the form <width>x<height>, ${bounds}, for example 1024x1024.`)
}
