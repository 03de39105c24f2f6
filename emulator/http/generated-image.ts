import type { EmulatorInstance } from '../instance.ts'
import { type ImageSpec, parseImageName } from '../operations/media/image-name.ts'
import { isApiError } from '../core/api-errors.ts'
import { type CompleteResponse, CORS_HEADERS } from '../core/response.ts'

/**
 * Draws the image for a URL that a response contains (section 2.4), or reads the image of a recording. The file name
 * contains all parameters of a generated image, so nothing is stored. Returns undefined synchronously for other names,
 * and for requests without a valid key if image URLs require one.
 */
export function createImageResponse(
  name: string,
  authorization: string | undefined,
  { settings, authenticator, recordedImages }: EmulatorInstance,
): Promise<CompleteResponse> | undefined {
  const { seed, behaviour } = settings
  const isPublic = behaviour['image-urls'] === 'public'
  if (!isPublic && isApiError(authenticator.authenticate(authorization).payer)) return undefined
  const plan = parseImageName(name, seed)
  const image = plan === undefined ? recordedImages.find(name) : drawImage(plan)
  if (behaviour.cors !== 'any') return image
  return image?.then((response) => ({ ...response, headers: { ...response.headers, ...CORS_HEADERS } }))
}

async function drawImage({ width, height, pattern }: ImageSpec): Promise<CompleteResponse> {
  // Imported on first use, because images are rarely requested.
  const { generatePng } = await import('../operations/media/png.ts')
  const body = await generatePng({ width, height, seed: Buffer.from(pattern, 'hex') })
  const headers = { 'content-type': 'image/png', 'cache-control': 'public, immutable' }
  return { status: 200, headers, body, dueMs: 0 }
}
