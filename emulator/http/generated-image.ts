import type { EmulatorInstance } from '../instance.ts'
import { type ImageSpec, parseImageName } from '../operations/media/image-name.ts'
import { isApiError } from '../core/api-errors.ts'
import type { WholeResponse } from '../core/response.ts'

/**
 * Returns the image for a URL from a response (section 2.4), drawn again from its file name on each call. Undefined for
 * any other name, and without a key if a key is required: at once, so that the caller can treat the request as any other.
 */
export function findGeneratedImage(
  name: string,
  authorization: string | undefined,
  { settings, authenticator }: EmulatorInstance,
): Promise<WholeResponse> | undefined {
  const { seed, behaviour } = settings
  const plan = parseImageName(name, seed)
  if (plan === undefined) return undefined
  const isPublic = behaviour['image-urls'] === 'public'
  if (!isPublic && isApiError(authenticator.authenticate(authorization).payer)) return undefined
  return drawImage(plan)
}

async function drawImage({ width, height, pattern }: ImageSpec): Promise<WholeResponse> {
  const { drawPng } = await import('../operations/media/png.ts') // Loaded on first use: images are rarely requested.
  const body = await drawPng({ width, height, seed: Buffer.from(pattern, 'hex') })
  const headers = { 'content-type': 'image/png', 'cache-control': 'public, immutable' }
  return { status: 200, headers, body, dueMs: 0 }
}
