import { IMAGE_PATH_PREFIX } from '../../contract/facts.ts'
import type { EmulatorInstance } from '../instance.ts'
import { type ImageSpec, parseImageName } from '../operations/media/image-name.ts'
import { isApiError } from '../core/api-errors.ts'
import { logException } from '../core/events.ts'
import { handleRequest } from '../core/handle-request.ts'
import { extractPath, type IncomingRequest } from '../core/request-context.ts'
import { buildErrorResponse, type CompleteResponse, CORS_HEADERS } from '../core/response.ts'
import type { ResponseWriter } from '../core/response-writer.ts'
import { writeCompleteResponse } from '../core/send-response.ts'

/** Serves a request under /v1: the download of an image, or a request for the core. Never rejects. */
export async function serveRequest(
  incoming: IncomingRequest,
  writer: ResponseWriter,
  instance: EmulatorInstance,
): Promise<void> {
  const image = findImage(incoming, instance)
  if (image === undefined) return handleRequest(incoming, writer, instance)
  try {
    writeCompleteResponse(writer, await image)
  } catch (error) {
    logException(incoming.target, error)
    const apiError = { code: 'internal-error', message: 'The service failed unexpectedly.' } as const
    writeCompleteResponse(writer, buildErrorResponse(apiError, { ...instance.settings, clock: instance.clock }))
  }
}

/**
 * Draws the image for a URL that a response contains (section 2.4), or reads the image of a recording. The file name
 * contains all parameters of a generated image, so nothing is stored. Returns undefined synchronously for other paths,
 * and for requests without a valid key if image URLs require one.
 */
function findImage(
  { method, target, headers }: IncomingRequest,
  { settings, authenticator, recordedImages }: EmulatorInstance,
): Promise<CompleteResponse> | undefined {
  const path = extractPath(target)
  if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith(IMAGE_PATH_PREFIX)) return undefined
  const { seed, behaviour } = settings
  const isPublic = behaviour['image-urls'] === 'public'
  if (!isPublic && isApiError(authenticator.authenticate(headers.authorization).payer)) return undefined
  const name = path.slice(IMAGE_PATH_PREFIX.length)
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
