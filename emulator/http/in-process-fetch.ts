import { PATH_PREFIX } from '../../contract/facts.ts'
import type { EmulatorInstance } from '../instance.ts'
import { buildErrorResponse } from '../core/response.ts'
import type { FetchResponseWriter } from './fetch-response-writer.ts'
import { serveRequest } from './serve-request.ts'
import { ClientDisconnectedError } from '../core/request-context.ts'
import { writeCompleteResponse } from '../core/send-response.ts'

/** Handles an in-process request. Resolves when the response ends. */
export async function handleInProcessRequest(
  request: Request,
  writer: FetchResponseWriter,
  instance: EmulatorInstance,
): Promise<void> {
  const { pathname, search, origin } = new URL(request.url)
  const { settings, clock } = instance
  const headers = Object.fromEntries(request.headers)
  if (!pathname.startsWith(PATH_PREFIX)) {
    const message = 'This path does not exist. The API is under /v1. The control API needs an emulator with a port.'
    writeCompleteResponse(writer, buildErrorResponse({ code: 'unknown-endpoint', message }, { ...settings, clock }))
    return
  }
  let hasBodyFailed = false
  const transported = {
    method: request.method,
    target: pathname + search,
    headers,
    baseUrl: settings.publicUrl ?? origin,
    readBody: (limitBytes: number) =>
      readBody(request, limitBytes).catch((error: unknown) => {
        hasBodyFailed = true
        throw error
      }),
  }
  await serveRequest(transported, writer, instance)
  // A request with a failed body gets no response, so only the abort closes the writer.
  if (hasBodyFailed) writer.abort()
}

/**
 * Reads the body of an in-process request. Rejects with {@link ClientDisconnectedError} if the body fails.
 * @returns undefined if the body exceeds `limitBytes` or was already read
 */
async function readBody(request: Request, limitBytes: number): Promise<Buffer | undefined> {
  if (request.body === null) return Buffer.alloc(0)
  if (request.bodyUsed) return undefined
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of request.body) {
      bytes += chunk.length
      if (bytes > limitBytes) return undefined
      chunks.push(chunk)
    }
  } catch {
    throw new ClientDisconnectedError()
  }
  return Buffer.concat(chunks)
}
