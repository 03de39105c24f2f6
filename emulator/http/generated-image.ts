import type { EmulatorInstance } from '../instance.ts'
import { parseImageName } from '../operations/media/image-name.ts'
import { isApiError } from '../core/api-errors.ts'
import type { WholeResponse } from '../core/response.ts'

/**
 * The image whose URL an answer gave (section 2.4), drawn anew each time from what its name says. Undefined for every other
 * name, and without a key where one is needed.
 */
export async function findGeneratedImage(
  name: string,
  authorization: string | undefined,
  { settings, authenticator }: EmulatorInstance,
): Promise<WholeResponse | undefined> {
  const { seed, behaviour } = settings
  const plan = parseImageName(name, seed)
  if (plan === undefined) return undefined
  const isPublic = behaviour['image-urls'] === 'public'
  if (!isPublic && isApiError(authenticator.authenticate(authorization).payer)) return undefined
  const { drawPng } = await import('../operations/media/png.ts') // rarely asked for
  const body = await drawPng({ width: plan.width, height: plan.height, seed: Buffer.from(plan.pattern, 'hex') })
  const headers = { 'content-type': 'image/png', 'cache-control': 'public, immutable' }
  return { status: 200, headers, body, dueMs: 0 }
}
